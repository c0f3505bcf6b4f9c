// How numbers and names are shown.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** What marks an inlined function; where there is little room, it goes first. */
export const INLINED = ' (inlined)';
const READABLE = 16; /* characters, for both ends of a name */

/**
 * A name as it may be shown: control characters and those that change the direction are escapes.
 * @param {string} text
 * @returns {string}
 */
export function shown(text) {
	return text.replace(HIDDEN, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/**
 * A name in at most so many characters: where it is long, its end says most; in little room only its beginning can be read.
 * @param {string} name
 * @param {number} most
 * @returns {string}
 */
export function shortened(name, most) {
	const marked = name.length > most && name.endsWith(INLINED);
	const text = marked ? name.slice(0, -INLINED.length) : name;
	if (text.length <= most)
		return text;
	const first = most < READABLE ? most - 1 : Math.floor((most - 1) / 3);
	return text.slice(0, first) + '…' + (first < most - 1 ? text.slice(first + 1 - most) : '');
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {string} such as "12.34%", as in the text report
 */
export function percent(part, whole) {
	return (whole ? (100 * part) / whole : 0).toFixed(2) + '%';
}

/**
 * @param {number} ns
 * @returns {string} with three or four digits and a unit
 */
export function duration(ns) {
	for (const [unit, size] of /** @type {[string, number][]} */ ([['s', 1e9], ['ms', 1e6], ['µs', 1e3]]))
		if (ns >= size)
			return (ns / size).toPrecision(Math.max(3, String(Math.floor(ns / size)).length)) + ' ' + unit;
	return Number(ns.toPrecision(3)) + ' ns';
}

/**
 * @param {number} x
 * @returns {string} with groups of three digits
 */
export function count(x) {
	return x.toLocaleString('en-US');
}

/**
 * @param {number} x a weight
 * @param {boolean} isTime it is nanoseconds
 * @returns {string}
 */
export function weightText(x, isTime) {
	return isTime ? duration(x) : count(x < 1000 ? Number(x.toPrecision(3)) : Math.round(x));
}
