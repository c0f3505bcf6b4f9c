// Colours. Kinds are told apart by lightness, too; the names are in the legend.

/** Hue, saturation, lightness in the light theme; the text on them is black. */
const COLORS = {
	user: [200, 70, 72],
	inlined: [200, 45, 84],
	kernel: [28, 85, 66],
	jit: [140, 40, 68],
	unknown: [0, 0, 76],
	waiting: [35, 45, 81],
	idle: [35, 12, 90],
};

/** @returns {boolean} whether the page shows all of a view, on paper */
export function isPrinting() {
	return document.documentElement.classList.contains('printing');
}

/** @returns {boolean} */
export function isDark() {
	return matchMedia('(prefers-color-scheme: dark)').matches && !isPrinting();
}

/**
 * @param {string} kind
 * @param {string} name changes the colour a little, always in the same way
 * @returns {string}
 */
export function colorOf(kind, name) {
	let hash = 0;
	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	const [h, s, l] = COLORS[/** @type {keyof COLORS} */ (kind)];
	return `hsl(${h + ((hash & 15) - 8)} ${s}% ${l + ((hash >> 4) & 7) - 3 - (isDark() ? 8 : 0)}%)`;
}

/**
 * @param {number} change -1: only in the baseline, to 1: only now
 * @returns {string} blue, grey or orange, which colour-blind people can tell apart
 */
export function changeColor(change) {
	const strong = Math.min(1, Math.abs(change));
	const light = (isDark() ? 68 : 82) - 18 * strong;
	return strong < 0.02 ? `hsl(0 0% ${light}%)` : `hsl(${change < 0 ? 212 : 22} ${Math.round(20 + 75 * strong)}% ${light}%)`;
}

/**
 * @param {string} verdict that tells neither more nor less
 * @returns {string} yellow for what moved; grey that is darker where nothing can be told
 */
export function verdictColor(verdict) {
	const dark = isDark() ? 12 : 0;
	return verdict === 'moved' ? `hsl(52 80% ${74 - dark}%)` : `hsl(0 0% ${(verdict === 'same' ? 92 : 76) - dark}%)`;
}

/**
 * @param {string} name of a custom property of the style
 * @returns {string}
 */
export function styleColor(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
