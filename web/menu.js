// The menu of a frame of the flame graph.
import { element, part } from './dom.js';

/** @typedef {{title: string, run: () => void}} Item */

export class Menu {
	constructor() {
		this.menu = /** @type {HTMLElement} */ (part('menu'));
		/** What has the focus again when the menu closes. @type {HTMLElement | null} */
		this.before = null;
		this.menu.addEventListener('keydown', (e) => this.key(e));
		this.menu.addEventListener('contextmenu', (e) => e.preventDefault());
		this.menu.addEventListener('focusout', (e) => !this.menu.contains(/** @type {Node | null} */ (e.relatedTarget)) && (this.menu.hidden = true));
	}

	/**
	 * @param {number} x
	 * @param {number} y both in the window
	 * @param {string} name of the function
	 * @param {Item[]} items
	 */
	open(x, y, name, items) {
		const { menu } = this;
		this.before = /** @type {HTMLElement | null} */ (menu.contains(document.activeElement) ? this.before : document.activeElement);
		menu.setAttribute('aria-label', name);
		menu.replaceChildren(...items.map(({ title, run }) => {
			const item = element('button', { type: 'button', role: 'menuitem', tabindex: '-1' }, title);
			item.addEventListener('click', () => {
				this.close();
				run();
			});
			return item;
		}));
		menu.hidden = false;
		menu.style.left = `${Math.max(0, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`;
		menu.style.top = `${Math.max(0, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`;
		/** @type {HTMLElement} */ (menu.firstElementChild)?.focus();
	}

	close() {
		this.before?.focus();
		this.menu.hidden = true;
	}

	/** @param {KeyboardEvent} e */
	key(e) {
		const items = /** @type {HTMLElement[]} */ ([...this.menu.children]);
		const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[e.key];
		if (to !== undefined)
			items[(to + items.length) % items.length].focus();
		else if (e.key === 'Escape' || e.key === 'Tab')
			this.close();
		if (e.key !== 'Enter' && e.key !== ' ')
			e.preventDefault();
		e.stopPropagation();
	}
}
