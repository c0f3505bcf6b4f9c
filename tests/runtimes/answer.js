// Prints a number that depends on all work. Exits with 3. Argument: rounds.
function mix(n) {
	for (let i = 0; i < 200; i++)
		n = (n * 31 + (n >>> 7) + i) >>> 0;
	return n;
}

function sorted(n) {
	const v = [];
	for (let i = 0; i < 50; i++)
		v.push(mix(n + i) % 1000);
	return v.sort((a, b) => b - a)[7];
}

let sum = 0;
for (let i = Number(process.argv[2]); i > 0; i--)
	sum = (sum * 7 + sorted(sum + i)) >>> 0;
console.log(sum);
process.exitCode = 3;
