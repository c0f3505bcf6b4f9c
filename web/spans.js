// The slowest spans: calls of a function that was recorded with --span. Choosing one shows its time.
import { Table } from './table.js';
import { count, duration, shown } from './text.js';

/** @type {import('./table.js').Column[]} */
const SPAN_COLUMNS = [
	{ id: 'took', title: 'Took', isNumber: true, help: 'from its begin to its end' },
	{ id: 'begins', title: 'Begins', isNumber: true, help: 'after the first sample' },
	{ id: 'thread', title: 'Thread', isNumber: false, help: 'click a row to see the time of this span' },
	{ id: 'span', title: 'Span', isNumber: false, help: 'what was recorded with --span' },
];

/** @param {import('./data.js').Recording} recording @returns {string} how many there are, and how long they took */
export function describeSpans({ facts }) {
	return (facts.spans ?? []).map(({ name, nr, fast, slow }) =>
		`${count(nr)} spans ${shown(name)}: half took at most ${duration(fast)}, one in a hundred at least ${duration(slow)}`).join(' · ');
}

export class SpansView {
	/** @param {import('./data.js').Recording} recording @param {(span: import('./data.js').Span) => void} go */
	constructor(recording, go) {
		this.recording = recording;
		this.table = new Table('spans', SPAN_COLUMNS.slice(0, (recording.facts.spans?.length ?? 0) > 1 ? 4 : 3), { row: (i) => this.row(i), click: (i) => go(recording.spans[i]) });
	}

	show() {
		this.table.show(this.recording.spans.length, 'took');
	}

	/** @param {number} i @returns {import('./table.js').Row} */
	row(i) {
		const { kind, thread, begin, ns } = this.recording.spans[i];
		const t = this.recording.facts.threads[thread];
		return { cells: [duration(ns), `${(begin / 1e9).toFixed(3)} s`, `${shown(t.name)} ${t.tid}`, shown(kind.name)] };
	}
}
