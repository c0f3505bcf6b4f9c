// A small page's data, written as Documentation/page.md says.

/** @param {number} x @returns {number[]} */
function varint(x) {
	return x < 0x80 ? [x] : [(x % 128) | 0x80, ...varint(Math.floor(x / 128))];
}

/** @param {number[]} bytes @returns {number[]} */
function column(bytes) {
	return [...varint(bytes.length), ...bytes];
}

/**
 * @param {object} wrong facts in place of right ones
 * @param {any[]} insns of the function with code
 * @returns {Uint8Array} main calls work, which calls leaf; two threads, three cells
 */
export function page(wrong = {}, insns = [[0, 'push %rbp', 0, 1, 0], [1, 'mov %rsi,%rax', 0, 2, 1], [4, 'ret', -1, 0, 0]]) {
	const facts = {
		format: 4, cell: 20e6, cpu_cell: 40e6, duration: 60e6, lost: 1, stacks: 0, cut: 0, limit: 127, damage: '', losses: [[0, 1]], recording: 'perf.data', headers: {},
		events: [{ name: 'cycles', nr: 3, weight: 37, period: 0, time: false, waits: false }],
		threads: [{ pid: -1, tid: -1, name: 'a', process: 'a', first: 0, last: 1 }, { pid: 1, tid: 2, name: 'b', process: 'a', first: 0, last: 1 }],
		binaries: ['prog'], strings: ['', 'main', 'work', 'leaf'], ...wrong,
	};
	const columns = [
		[...Buffer.from(JSON.stringify(facts))],
		[1, 2, 3], [1, 1, 1], [0, 0, 4], [0, 0, 0], [0, 0, 0], [0, 3, 0], /* names, binaries, flags, files, lines, places */
		[1, 1, 1], [0, 1, 2], /* stacks: how far back the parent is, frames */
		[6, 1], /* stacks by rank: 3, 2 */
		[0, 0, 2, 2, 1, 1], [0, 1, 0], [2, 1, 1], [20, 10, 7], /* runs, ranks, numbers, weights */
		[0, 0, 30, 1, 1, 7], /* processors: cell, lane, weight */
		[...Buffer.from(JSON.stringify([{
			name: 'work', binary: 1, start: 'ffffffff81000010', why: '', files: [{ path: '/src/work.c', newer: false, lines: [[1, 'work'], [2, '\tx']] }],
			insns, inlined: ['twice'],
		}]))],
	];
	return Uint8Array.from(columns.flatMap(column));
}
