// The functions with most self weight, beside the flame graph: it shows what calls what, and not which function costs most.
import { element, part } from './dom.js';
import { hottestFunctions } from './sums.js';
import { nowOf } from './selected.js';
import { percent, shortened, shown } from './text.js';

const MOST = 10;
const NAME = 46; /* characters that a row has room for */

export class Hottest {
	/** @param {import('./selected.js').Selected} selected @param {(func: number) => void} open what a click on one does */
	constructor(selected, open) {
		this.selected = selected;
		this.open = open;
		/** What the list is of. @type {import('./tree.js').Tree | undefined} */
		this.tree = undefined;
		part('hottest').hidden = Boolean(selected.comparison); /* has its own order of functions */
	}

	/** @param {import('./tree.js').Tree} tree */
	show(tree) {
		const { comparison, model } = this.selected;
		if (comparison)
			return;
		this.mark();
		if (this.tree === tree)
			return;
		this.tree = tree;
		const whole = nowOf(tree);
		const sums = hottestFunctions(tree, model.funcs.length, MOST);
		const most = sums.length ? sums[0].self - sums[0].was : 1;
		part('hottest-list').replaceChildren(...sums.map(({ func, self, total, was, wasTotal }) => {
			const item = element('li');
			const button = element('button', { type: 'button', 'data-func': String(func),
				title: `${this.selected.nameOf(func)}: click to see its callers and callees` });
			const bar = element('span', { class: 'bar' });
			bar.style.width = `${(100 * (self - was)) / most}%`;
			button.append(bar, element('span', { class: 'name' }, shortened(this.selected.shortOf(func), NAME)), element('span', { class: 'costs' },
				`${percent(self - was, whole)} self, ${percent(total - wasTotal, whole)} total`),
			element('span', { class: 'binary' }, shown(model.funcs[func].binary)));
			button.addEventListener('click', () => this.open(func));
			item.append(button);
			return item;
		}));
		this.mark();
	}

	mark() {
		for (const button of part('hottest-list').querySelectorAll('button'))
			button.setAttribute('aria-pressed', String(Number(button.dataset.func) === this.selected.state.focus));
	}
}
