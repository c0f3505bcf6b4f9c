// The state of the page: one object, which the URL's hash keeps.

/** Each field with its value at first, which the hash leaves out. */
const FIRST = {
	view: 'flame', event: -1, thread: -1, from: 0, to: -1, search: '', keep: '', hide: '', noKinds: '',
	zoom: '', down: '', focus: -1, icicle: true, sort: 'self', up: false, baseFrom: 0, baseTo: -1, timeFrom: 0, timeTo: -1,
	heat: false, byProcess: false, byCpu: false, byTime: false, lines: false, collapse: false, noBinaries: '', source: 0, idle: false,
};

/** @typedef {typeof FIRST} State */

/**
 * @param {string} hash with or without #
 * @returns {State} what is wrong in it is as at first
 */
export function parseState(hash) {
	const state = { ...FIRST };
	const given = new URLSearchParams(hash.replace(/^#/, ''));
	for (const [name, first] of Object.entries(FIRST)) {
		const text = given.get(name);
		if (text === null)
			continue;
		const value = typeof first === 'number' ? Number(text) : typeof first === 'boolean' ? text === '1' : text;
		if (typeof value !== 'number' || Number.isInteger(value))
			Object.assign(state, { [name]: value });
	}
	return state;
}

/**
 * @param {State} state
 * @returns {string} for the hash; empty: all is as at first
 */
export function stateText(state) {
	const p = new URLSearchParams();
	for (const [name, first] of Object.entries(FIRST)) {
		const value = state[/** @type {keyof State} */ (name)];
		if (value !== first)
			p.set(name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
	}
	return p.toString();
}
