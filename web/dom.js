// The elements of the page.

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
