// The keys: one table, which is also the help.
import { element } from './table.js';

/** @typedef {{keys: string[], help: string, run: (key: string, id: string) => void, where?: string[], ofTime?: boolean}} Key ofTime: of a recording, not of a comparison; where: ids of what
 *	may have the focus */

/** @param {Key[]} table */
export function listenToKeys(table) {
	document.addEventListener('keydown', (e) => {
		const target = /** @type {HTMLElement} */ (e.target);
		const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
		if (e.ctrlKey || e.altKey || e.metaKey || (isTyping && e.key !== 'Escape'))
			return;
		if (/** @type {HTMLDialogElement} */ (document.getElementById('help')).open)
			return;
		if (e.key === 'Enter' && target.tagName === 'BUTTON')
			return;
		const found = table.find((k) => k.keys.includes(e.key) && (!k.where || k.where.includes(target.id)));
		if (!found)
			return;
		e.preventDefault();
		found.run(e.key, target.id);
	});
}

/** @param {Key[]} table */
export function showHelp(table) {
	const help = /** @type {HTMLDialogElement} */ (document.getElementById('help'));
	help.querySelector('table')?.replaceChildren(...table.map((k) => {
		const row = element('tr');
		row.append(element('th', { scope: 'row' }, k.keys.join(' ')), element('td', {}, k.help));
		return row;
	}));
	help.showModal();
}
