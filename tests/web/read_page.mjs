// Print the functions in the page $PAGE, those with code, and how many samples it has; of the function $CODE its instructions.
import { readFileSync } from 'node:fs';
import { readRecording, unpack } from '../../web/data.js';
import { insnRows } from '../../web/source.js';

const text = readFileSync(process.env.PAGE ?? '', 'utf8');
const data = /id="data">([^<]*)</.exec(text)?.[1] ?? '';
const recording = readRecording(await unpack(data));
for (const name of new Set(recording.frames.map((f) => f.name)))
	console.log(name);
const { cells, stacks, frames } = recording;
const ofPlace = new Map();
cells.stack.forEach((stack, i) => {
	const { place } = frames[stacks.frame[stack]];
	ofPlace.set(place, (ofPlace.get(place) ?? 0) + cells.nr[i]);
});
for (const s of recording.sources)
	console.log(`source: ${s.name} ${s.insns.length} instructions, ${s.insns.reduce((n, _, i) => n + (ofPlace.get(s.place + 1 + i) ?? 0), 0)} samples`);
for (const s of recording.sources.filter((f) => f.name === process.env.CODE))
	for (const { insn, heading } of insnRows(s))
		console.log(`code: ${insn < 0 ? heading : `${s.insns[insn].addr} ${s.insns[insn].text}`}`);
console.log(`${cells.nr.reduce((a, b) => a + b, 0)} samples`);
