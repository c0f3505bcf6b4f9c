/* The screens, in the order of help and menu. */
#include "browser/browser.h"

const struct screen *const screens[NR_SCREENS] = {
	&table_screen,   &callers_screen, &flame_screen, &times_screen,
	&threads_screen, &code_screen,    &info_screen,  &help_screen,
};
