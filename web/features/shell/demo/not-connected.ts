import type { Platform } from '../../../../src/networks/api.ts'

/** A network whose accounts could not be connected for the demo. */
export class NotConnected extends Error {
  readonly network: Platform

  constructor(network: Platform, address: string) {
    super(`${network} was not connected: ${address}`)
    this.name = 'NotConnected'
    this.network = network
  }
}
