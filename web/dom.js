// The elements of the page.

/**
 * Show a tip at the mouse, within the window: long names are wrapped.
 * @param {HTMLElement} tip
 * @param {string} text
 * @param {MouseEvent} e
 */
export function showTip(tip, text, e) {
	tip.textContent = text;
	tip.hidden = false;
	/* Measured where it has all of the width. */
	tip.style.left = tip.style.top = '0';
	const [width, height] = [tip.offsetWidth, tip.offsetHeight];
	tip.style.left = `${Math.max(0, Math.min(e.clientX + 12, innerWidth - width - 8))}px`;
	tip.style.top = `${Math.max(0, Math.min(e.clientY + 16, innerHeight - height - 8))}px`;
}

/** Copy a text to the clipboard, and tell who listens. @param {string} text */
export function copy(text) {
	/* An old browser, or one that asks the user, who says no. */
	const failed = () => say('this browser does not let the page copy');
	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(() => say(`copied ${text}`), failed);
	else
		failed();
}

/** @param {string} id @returns {any} the element, of a type that page.html says */
export function part(id) {
	return document.getElementById(id);
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {string} text
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, text = '') {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes))
		e.setAttribute(name, value);
	e.textContent = text;
	return e;
}

/** Tell who listens to the page. @param {string} text */
export function say(text) {
	const said = document.getElementById('said');
	if (said)
		said.textContent = text;
}
