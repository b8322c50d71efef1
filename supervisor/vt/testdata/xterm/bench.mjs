// Prints how many milliseconds xterm.js takes to parse a file: node bench.mjs xterm-headless.js FILE
import { createRequire } from 'node:module'
import fs from 'node:fs'
const { Terminal } = createRequire(import.meta.url)(process.argv[2])
const bytes = fs.readFileSync(process.argv[3])
const t = new Terminal({ cols: 120, rows: 40, scrollback: 10000, allowProposedApi: true, logLevel: 'off' })
const start = performance.now()
for (let i = 0; i < bytes.length; i += 65536) {
  await new Promise((done) => t.write(bytes.subarray(i, i + 65536), done))
}
console.log(performance.now() - start)
