/* What kinds.c opens: calls back through a frame of its own. */
int plugin_run(int (*call)(int), int n)
{
	char room[100];
	int r = 0;

	for (int i = 0; i < 5; i++) {
		r += call(n);
		room[i] = (char)r;
	}
	return room[r % 5];
}
