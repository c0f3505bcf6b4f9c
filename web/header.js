// What was recorded, and what is missing in it.
import { FRAME_UNKNOWN } from './data.js';
import { count, duration, percent, shown, weightText } from './text.js';

/** The cells of a page that did not have to widen them, ns. */
const NARROW_CELL = 20e6;

/**
 * @param {import('./data.js').Recording} recording
 * @returns {{title: string, facts: string, doubts: string[]}}
 */
export function describe(recording) {
	const { facts } = recording;
	if (facts.comparison)
		return { title: shown(facts.recording), facts: shown(`${facts.comparison.total} · ${facts.comparison.changes}`), doubts: [] };
	const h = facts.headers;
	const command = Array.isArray(h.cmdline) ? h.cmdline.join(' ') : '';
	const events = facts.events.filter((e) => e.nr)
		.map((e) => `${count(e.nr)} samples of ${e.name} (${weightText(e.weight, e.time)})`);
	const parts = [events.join(', '), `${duration(facts.duration)}, ${count(facts.threads.length)} ${facts.threads.length === 1 ? 'thread' : 'threads'}`,
		h.hostname && `on ${h.hostname}`, h['os-release'] && `Linux ${h['os-release']}`,
		h['captured-on'] && `${h['captured-on']}`, h['perf-version'] && `perf ${h['perf-version']}`, command];
	const doubts = [];
	if (facts.lost)
		doubts.push(`${count(facts.lost)} samples were lost (${percent(facts.lost,
			facts.lost + facts.events.reduce((n, e) => n + e.nr, 0))}).`);
	if (facts.damage)
		doubts.push(`The recording is ${shown(facts.damage)}.`);
	if (facts.cut)
		doubts.push(`${count(facts.cut)} of ${count(facts.stacks)} stacks are truncated (${percent(facts.cut, facts.stacks)}): ` +
			'their outermost callers are missing.');
	const unknown = recording.frames.filter((f) => f.flags & FRAME_UNKNOWN).length;
	if (unknown)
		doubts.push(`${count(unknown)} of ${count(recording.frames.length)} places in the code have no symbol: ` +
			'their names are made up, or [unknown].');
	if (facts.cell > NARROW_CELL)
		doubts.push(`Time is in steps of ${duration(facts.cell)}, to keep this page small.`);
	if (!events.length)
		doubts.push('There are no samples.');
	return { title: shown(facts.recording), facts: shown(parts.filter(Boolean).join(' · ')), doubts };
}
