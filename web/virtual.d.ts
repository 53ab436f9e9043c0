declare module 'virtual:endpoints' {
  const endpoints: Record<string, [method: string, url: string, gate: import('../src/http/endpoint.ts').Gate]>
  export default endpoints
}
