import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BufferTarget, Mp4OutputFormat, Output, VideoSample, VideoSampleSource } from 'mediabunny'
import sharp from 'sharp'

// Draws the pictures and films of the demo workspace into web/public/demo. They are committed, so this runs only to
// change them.

const FOLDER = join(import.meta.dirname, '..', 'web', 'public', 'demo')
const RATE = 24

interface Scene {
  width: number
  height: number
  ground: [string, string]
  body: (time: number) => string
}

const svg = ({ width, height, ground: [from, to], body }: Scene, time: number) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
    <defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs>
    <rect width="${width}" height="${height}" fill="url(#g)"/>${body(time)}</svg>`)

/** A cup with its centre at x, y, and `steam` that moves with time. */
function cup(x: number, y: number, scale: number, colour: string, time: number): string {
  const steam = [-34, 0, 34]
    .map((at, index) => {
      const sway = (up: number) => at + Math.sin(time * 2 + index * 1.7 + up / 30) * 12
      const path = Array.from(
        { length: 9 },
        (_, step) => `${step === 0 ? 'M' : 'L'}${sway(step * 14)},${-78 - step * 14}`,
      )
      return `<path d="${path.join(' ')}" stroke="#fff" stroke-opacity=".55" stroke-width="9" stroke-linecap="round" stroke-linejoin="round" fill="none"/>`
    })
    .join('')
  return `<g transform="translate(${x} ${y}) scale(${scale})">${steam}
    <ellipse cx="0" cy="92" rx="150" ry="24" fill="#000" fill-opacity=".14"/>
    <ellipse cx="0" cy="80" rx="140" ry="22" fill="#fff"/><ellipse cx="0" cy="76" rx="96" ry="13" fill="#e9e2da"/>
    <path d="M82 -34 q66 0 56 44 q-10 38 -72 38" fill="none" stroke="${colour}" stroke-width="20"/>
    <path d="M-96 -52 h192 q4 112 -58 128 h-76 q-62 -16 -58 -128z" fill="${colour}"/>
    <ellipse cx="0" cy="-52" rx="96" ry="26" fill="#fff"/><ellipse cx="0" cy="-50" rx="84" ry="20" fill="#6b4226"/>
    <path d="M0 -62 q-30 -2 -30 10 q0 12 30 10 q30 2 30 -10 q0 -12 -30 -10z" fill="#f0dcc0"/></g>`
}

const bean = (x: number, y: number, turn: number, colour: string) =>
  `<g transform="translate(${x} ${y}) rotate(${turn})"><ellipse rx="58" ry="38" fill="${colour}"/>
    <path d="M-54 0 q27 -22 54 0 q27 22 54 0" fill="none" stroke="#2b1a10" stroke-width="7"/></g>`

const leaf = (x: number, y: number, turn: number, colour: string) =>
  `<g transform="translate(${x} ${y}) rotate(${turn})"><path d="M0 -60 q52 40 0 120 q-52 -80 0 -120z" fill="${colour}"/>
    <path d="M0 -60 v150" stroke="#000" stroke-opacity=".22" stroke-width="5"/></g>`

const leaves = (time: number) =>
  [
    [180, 150, '#e8862e'],
    [860, 260, '#c8452d'],
    [330, 820, '#d99a2b'],
    [900, 860, '#a83a24'],
  ]
    .map(([x, y, colour], index) =>
      leaf(
        Number(x) + Math.sin(time + index) * 30,
        Number(y) + Math.cos(time * 0.8 + index) * 20,
        index * 70 + time * 20,
        String(colour),
      ),
    )
    .join('')

const beans = Array.from({ length: 26 }, (_, index) =>
  bean(
    90 + ((index * 197) % 940),
    110 + ((index * 331) % 900),
    (index * 53) % 180,
    ['#5a3620', '#6f4427', '#4a2b18'][index % 3]!,
  ),
).join('')

const pictures: Record<string, Scene> = {
  autumn: {
    width: 1080,
    height: 1080,
    ground: ['#f7d9a8', '#d9773c'],
    body: (time) => leaves(time) + cup(540, 560, 2, '#2f6f62', time),
  },
  beans: { width: 1080, height: 1080, ground: ['#e9d8c3', '#b98d63'], body: () => beans },
  counter: {
    width: 1350,
    height: 1080,
    ground: ['#274b5a', '#12242d'],
    body: (time) =>
      `<rect y="760" width="1350" height="320" fill="#8a5a3b"/><rect y="760" width="1350" height="14" fill="#a9714c"/>
      ${cup(360, 640, 1.3, '#d9773c', time)}${cup(720, 640, 1.3, '#e6c229', time + 1)}${cup(1060, 640, 1.3, '#5aa9a3', time + 2)}`,
  },
}

const films: Record<string, Scene & { seconds: number }> = {
  pour: {
    width: 720,
    height: 1280,
    seconds: 9,
    ground: ['#f7d9a8', '#c9602f'],
    body: (time) => cup(360, 720, 1.9, '#2f6f62', time),
  },
  roast: {
    width: 360,
    height: 640,
    seconds: 75,
    ground: ['#3a2417', '#6f4427'],
    body: (time) => cup(180, 360, 0.95, '#d9773c', time),
  },
}

async function film(scene: Scene & { seconds: number }): Promise<Buffer> {
  await import('@napi-rs/webcodecs/polyfill')
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  const source = new VideoSampleSource({ codec: 'avc', bitrate: scene.width * 110, keyFrameInterval: 5 })
  output.addVideoTrack(source, { frameRate: RATE })
  await output.start()
  for (let frame = 0; frame < scene.seconds * RATE; frame += 1) {
    const pixels = await sharp(svg(scene, frame / RATE))
      .ensureAlpha()
      .raw()
      .toBuffer()
    const sample = new VideoSample(new Uint8Array(pixels), {
      format: 'RGBA',
      codedWidth: scene.width,
      codedHeight: scene.height,
      timestamp: frame / RATE,
      duration: 1 / RATE,
    })
    await source.add(sample)
    sample.close()
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

await mkdir(FOLDER, { recursive: true })
for (const [name, scene] of Object.entries(pictures)) {
  await writeFile(join(FOLDER, `${name}.jpg`), await sharp(svg(scene, 0)).jpeg({ quality: 82 }).toBuffer())
}
for (const [name, scene] of Object.entries(films)) await writeFile(join(FOLDER, `${name}.mp4`), await film(scene))
