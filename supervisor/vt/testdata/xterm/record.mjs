// Records what xterm.js makes of the recordings beside this folder, for
// TestXterm. Run it again when a recording is added:
//
//	npm install --prefix /tmp/xterm @xterm/headless@6.0.0 @xterm/addon-unicode11@0.9.0
//	node record.mjs /tmp/xterm/node_modules/@xterm
//
// The add-on gives it the widths of Unicode 11; without it emoji of the last ten
// years are one column wide.
// A golden file holds, for each checkpoint, the cursor and every row as runs of
// [text, width of each character, colours and attributes]. Of a recording that
// was resized it also holds the text of the scrollback, and the checkpoints
// include the moments before and after each resize.
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import fs from 'node:fs'
import path from 'node:path'

const require = createRequire(import.meta.url)
const modules = path.resolve(process.argv[2])
const { Terminal } = require(path.join(modules, 'headless/lib-headless/xterm-headless.js'))
const { Unicode11Addon } = require(path.join(modules, 'addon-unicode11'))
const here = path.dirname(new URL(import.meta.url).pathname)
const folder = path.join(here, '..')
const sizes = JSON.parse(fs.readFileSync(path.join(folder, 'recordings.json')))

function color(cell, fg) {
  const rgb = fg ? cell.isFgRGB() : cell.isBgRGB()
  const pal = fg ? cell.isFgPalette() : cell.isBgPalette()
  const v = fg ? cell.getFgColor() : cell.getBgColor()
  return rgb ? '#' + v.toString(16).padStart(6, '0') : pal ? String(v) : ''
}

function look(c) {
  const on = [['isBold', 'b'], ['isDim', 'd'], ['isItalic', 'i'], ['isUnderline', 'u'], ['isBlink', 'k'],
    ['isInverse', 'r'], ['isInvisible', 'c'], ['isStrikethrough', 's'], ['isOverline', 'o']]
  return [color(c, true), color(c, false), on.filter(([f]) => c[f]()).map(([, l]) => l).join('')].join(';')
}

function dump(t, past) {
  const b = t.buffer.active, rows = []
  for (let y = 0; y < t.rows; y++) {
    const line = b.getLine(b.baseY + y), runs = []
    for (let x = 0; x < t.cols; x++) {
      const c = line.getCell(x)
      if (c.getWidth() === 0) continue
      const l = look(c) + ';' + c.getWidth(), last = runs[runs.length - 1]
      const s = c.getChars() || ' '
      if (last && last[0] === l) last[1].push(s)
      else runs.push([l, [s]])
    }
    rows.push(runs.map(([l, s]) => [l, s.every((c) => c.length === 1) ? s.join('') : s]))
  }
  const out = { cols: t.cols, rows, cursor: [b.cursorX, b.cursorY] }
  if (past) out.history = Array.from({ length: b.baseY }, (_, y) => b.getLine(y).translateToString(true))
  return out
}

const write = (t, b) => new Promise((done) => t.write(b, done))

for (const [name, r] of Object.entries(sizes)) {
  const bytes = fs.readFileSync(path.join(folder, name + '.raw'))
  const t = new Terminal({ cols: r.cols, rows: r.rows, scrollback: 10000, allowProposedApi: true, logLevel: 'off' })
  t.loadAddon(new Unicode11Addon())
  t.unicode.activeVersion = '11'
  const stops = [25, 50, 75, 100].map((p) => ({ at: Math.floor(bytes.length * p / 100), dump: true }))
  for (const [at, cols, rows] of r.resizes || []) stops.push({ at, cols, rows })
  stops.sort((a, b) => a.at - b.at || (a.dump ? -1 : 1))
  const out = []
  let from = 0
  for (const s of stops) {
    await write(t, bytes.subarray(from, s.at))
    from = s.at
    const look = () => out.push({ at: s.at, ...dump(t, r.resizes) })
    if (!s.cols) { look(); continue }
    look()
    t.resize(s.cols, s.rows)
    look()
  }
  fs.writeFileSync(path.join(here, name + '.json.gz'), gzipSync(JSON.stringify(out), { level: 9 }))
}
