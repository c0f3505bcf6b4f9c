# check-sizes finds long files, large functions and structs; the sources have none
. "$PERF_SRC/tests/lib.sh"

{
	echo "/* struct option of_a_comment[] = { */"
	printf 'static int large(int a,\n\t\t int b)\n{\n'
	yes "	a += b; /* { */" | head -n 77
	printf '	return a;\n}\n\nint small(void)\n{\n	const struct option options[] = {\n'
	yes "		{ 0 }," | head -n 200
	printf '	};\n	return options[0].nr;\n}\n'
	yes "int global;" | head -n 100
} >functions.c
{
	printf 'struct large {\n	int a, b, *c; /* one; two; three; */\n	struct {\n'
	yes "		int x;" | head -n 30
	printf '	} inner;\n'
	yes "	int (*call)(int a, int b);" | head -n 27
	printf '};\nstruct small {\n'
	yes "	int x : 1;" | head -n 30
	printf '};\n'
} >structs.h
mkdir tests
yes "int global;" | head -n 901 | tee tests/long.c >long.c
expect_status 1 sh "$PERF_SRC/tools/check-sizes" .
expect_line out "long.c:901: more than 900 lines"
expect_line out "functions.c:2: large() has 82 lines"
expect_line out "structs.h:1: struct large has 31 fields"
expect_line out "check-sizes: 2 functions, 2 structs, 3 violations"

expect_status 0 sh "$PERF_SRC/tools/check-sizes" "$PERF_SRC"
