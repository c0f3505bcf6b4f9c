// What was recorded, and what is missing in it.
import { FRAME_INLINED, FRAME_UNKNOWN } from './data.js';
import { eventsOf } from './model.js';
import { count, duration, percent, shown, weightText } from './text.js';

/** The cells of a page that did not have to widen them, ns. */
const NARROW_CELL = 20e6;

/** A doubt is bad where it is about more than this part of the weight. */
const BAD = 0.01;

/** @typedef {{text: string, share: number}} Doubt share: of the weight of what is shown */

/**
 * @param {import('./data.js').Recording} recording
 * @param {number} event -1: not chosen
 * @param {(stack: number) => boolean} isConcerned
 * @returns {number}
 */
function shareOf({ cells, facts }, event, isConcerned) {
	const wanted = eventsOf(facts, event);
	let [all, part] = [0, 0];
	for (let i = 0; i < cells.stack.length; i++)
		if (wanted.includes(cells.lane[i] % facts.events.length)) {
			all += cells.weight[i];
			part += isConcerned(cells.stack[i]) ? cells.weight[i] : 0;
		}
	return all ? part / all : 0;
}

/** @param {import('./data.js').Recording} recording @param {number} event @returns {Doubt[]} about frames */
function doubtsOfFrames(recording, event) {
	const { facts, frames, stacks } = recording;
	const doubts = [];
	const unknown = frames.filter((f) => f.flags & FRAME_UNKNOWN).length;
	if (unknown) {
		const share = shareOf(recording, event, (i) => i > 0 && (frames[stacks.frame[i]].flags & FRAME_UNKNOWN) !== 0);
		doubts.push({ share, text: `${count(unknown)} of ${count(frames.length)} places in the code have no symbol: their names are ` +
			`made up, or [unknown]; ${percent(share, 1)} of the weight is in them.` });
	}
	const depth = new Uint32Array(stacks.parent.length);
	for (let i = 1; i < depth.length; i++)
		depth[i] = depth[stacks.parent[i]] + (frames[stacks.frame[i]].flags & FRAME_INLINED ? 0 : 1);
	const isReached = facts.limit > 0 && depth.some((d) => d >= facts.limit);
	const share = isReached && shareOf(recording, event, (i) => depth[i] >= facts.limit);
	if (share)
		doubts.push({ share, text: `${percent(share, 1)} of the weight is in stacks of ${count(facts.limit)} frames, the most that this ` +
			'page has: their outermost callers are missing. If more was recorded: perf report --html --max-stack ' +
			`${Math.max(1024, 2 * facts.limit)}.` });
	return doubts;
}

/**
 * @param {import('./data.js').Recording} recording
 * @param {number} event whose samples are shown; -1: not chosen
 * @returns {{title: string, facts: string, doubts: string[], notes: string[]}} notes: doubts about little of the weight
 */
export function describe(recording, event = -1) {
	const { facts } = recording;
	if (facts.comparison)
		return { title: shown(facts.recording), facts: shown(`${facts.comparison.total} · ${facts.comparison.changes}`), doubts: [], notes: [] };
	const h = facts.headers;
	const command = Array.isArray(h.cmdline) ? h.cmdline.join(' ') : '';
	const events = facts.events.filter((e) => e.nr)
		.map((e) => `${count(e.nr)} samples of ${e.name} (${weightText(e.weight, e.time)})`);
	const parts = [facts.only && `only ${facts.only}`, events.join(', '), `${duration(facts.duration)}, ${count(facts.threads.length)} ${facts.threads.length === 1 ? 'thread' : 'threads'}`,
		h.hostname && `on ${h.hostname}`, h['os-release'] && `Linux ${h['os-release']}`,
		h['captured-on'] && `${h['captured-on']}`, h['perf-version'] && `perf ${h['perf-version']}`, command];
	const nr = facts.events.reduce((n, e) => n + e.nr, 0);
	/** @type {Doubt[]} */
	const doubts = [];
	if (facts.lost)
		doubts.push({ share: facts.lost / (facts.lost + nr), text: `${count(facts.lost)} samples were lost (${percent(facts.lost, facts.lost + nr)}).` });
	if (facts.damage)
		doubts.push({ share: 1, text: `The recording is ${shown(facts.damage)}.` });
	if (facts.cut)
		doubts.push({ share: facts.cut / facts.stacks, text: `${count(facts.cut)} of ${count(facts.stacks)} stacks are truncated (${percent(facts.cut, facts.stacks)}): ` +
			'their outermost callers are missing.' });
	if (typeof facts.borrowed === 'number' && facts.borrowed > 0)
		doubts.push({ share: facts.borrowed, text: `${percent(facts.borrowed, 1)} of the waiting time has the callers of other waits, at the same place and about as long.` });
	doubts.push(...doubtsOfFrames(recording, event));
	if (facts.cell > NARROW_CELL)
		doubts.push({ share: 0, text: `Time is in steps of ${duration(facts.cell)}, to keep this page small.` });
	if (!events.length)
		doubts.push({ share: 1, text: 'There are no samples.' });
	/** @type {(isBad: boolean) => string[]} */
	const texts = (isBad) => doubts.filter((d) => d.share > BAD === isBad).map((d) => d.text);
	return { title: shown(facts.recording), facts: shown(parts.filter(Boolean).join(' · ')), doubts: texts(true), notes: texts(false) };
}
