// What perf diff says of functions: verdicts, changes, and how they look. The rows are the functions of the page.
import { shown, weightText } from './text.js';
import { changeColor, verdictColor } from './theme.js';

/** @typedef {import('./data.js').Compared} Compared */

/** Columns of the table of functions. @type {import('./table.js').Column[]} */
export const COMPARED_COLUMNS = [
	{ id: 'verdict', title: 'Verdict', isNumber: false, help: 'what the samples say; the largest sure changes first' },
	{ id: 'plain', title: 'New / old', isNumber: true, help: 'the plain change of what the function itself costs' },
	{ id: 'change', title: 'Without shared', isNumber: true, help: 'the change without what all functions share: the line on top says how much' },
	{ id: 'interval', title: '95% interval', isNumber: true, help: 'the change without what is shared is in it in 95 of 100 comparisons; sorts by its edge nearest to none' },
	{ id: 'old', title: 'Old', isNumber: true, help: 'what the function itself cost' },
	{ id: 'new', title: 'New', isNumber: true, help: 'what the function itself costs' },
	{ id: 'oldTotal', title: 'Old total', isNumber: true, help: 'with what it calls' },
	{ id: 'newTotal', title: 'New total', isNumber: true, help: 'with what it calls' },
	{ id: 'name', title: 'Function', isNumber: false, leads: true, help: 'click a row to see it in the flame graph' },
	{ id: 'binary', title: 'Binary', isNumber: false, help: 'program, library, kernel' },
];

/** Kinds of verdicts: what the legend says, the verdicts, and a change whose colour they have. @type {[string, string[], number][]} */
export const LEGEND = [['slower, new', ['slower', 'new'], 1], ['faster, gone', ['faster', 'gone'], -1],
	['moved, renamed', ['moved', 'renamed'], 0], ['same', ['same'], 0], ['cannot tell', ['cannot tell', 'too few'], 0]];

/** @param {number | null} ratio of costs @returns {string} as perf diff prints it */
export function changeText(ratio) {
	if (ratio === null)
		return '-';
	if (ratio >= 10)
		return `x${ratio.toFixed(0)}`;
	return `${ratio < 1 ? '−' : '+'}${Math.abs(100 * (ratio - 1)).toFixed(1)}%`;
}

/** @param {Compared} row @returns {number} new cost / old cost */
export function plainChange(row) {
	return row.self[0] ? row.self[1] / row.self[0] : Infinity;
}

/** @param {Compared} row @returns {string} */
export function plainText(row) {
	return row.self[0] ? changeText(plainChange(row)) : '-';
}

/** @param {Compared} row @returns {string} */
export function intervalText(row) {
	return row.low === null ? '' : `${changeText(row.low)} .. ${row.high === null ? 'any' : changeText(row.high)}`;
}

/** @param {Compared} row @returns {number} the edge of the interval that is nearer to no change, -1 (all gone) to 1 (all new) */
export function nearEdge(row) {
	const low = row.low ?? 0;
	const high = row.high ?? Infinity;
	return low > 1 ? 1 - 1 / low : high < 1 ? high - 1 : 0;
}

/** @param {string} verdict @param {number} near of nearEdge() @returns {string} colour of a function */
export function colorOfVerdict(verdict, near) {
	const kind = LEGEND.findIndex(([, verdicts]) => verdicts.includes(verdict));
	const sign = LEGEND[kind]?.[2];
	/* Small but certain changes are to be seen, too. */
	return sign ? changeColor(sign * Math.max(0.15, Math.sqrt(Math.abs(near)))) : verdictColor(LEGEND[kind]?.[1][0] ?? '');
}

/** @param {number} cost @param {boolean} isTime @returns {string} */
export function costText(cost, isTime) {
	return cost ? weightText(cost, isTime) : '0';
}

/**
 * @param {Compared[]} rows
 * @param {string} sort id of a column
 * @param {(row: number) => string} nameOf what names sort by
 * @param {number[]} which rows
 * @returns {number[]} rows in order; the order of perf diff for other columns
 */
export function sortCompared(rows, sort, nameOf, which) {
	/** @type {Record<string, (row: Compared) => number>} */
	const keys = {
		plain: (r) => Math.abs(plainChange(r) - 1), change: (r) => (r.change === null ? (r.self[1] ? Infinity : -1) : Math.abs(r.change - 1)), interval: (r) => Math.abs(nearEdge(r)),
		old: (r) => r.self[0], new: (r) => r.self[1], oldTotal: (r) => r.total[0], newTotal: (r) => r.total[1],
	};
	const key = keys[sort];
	const byName = sort === 'name' || sort === 'binary';
	return [...which].sort((a, b) => {
		const [x, y] = key ? [key(rows[b]), key(rows[a])] : [0, 0];
		const [s, t] = byName ? [nameOf(a), nameOf(b)] : ['', ''];
		return (x < y ? -1 : x > y ? 1 : 0) || (s < t ? -1 : s > t ? 1 : 0) || a - b;
	});
}

/**
 * @param {import('./data.js').Comparison} comparison
 * @param {Compared} row
 * @returns {string} what is certain about the function itself
 */
export function verdictText(comparison, row) {
	const verdict = comparison.verdicts[row.verdict];
	const interval = intervalText(row);
	return `itself: ${verdict}${shown(row.remark)}${interval && `, ${changeText(row.change)} (${interval})`}`;
}
