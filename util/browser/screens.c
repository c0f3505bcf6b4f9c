/* The screens of a recording, in the order of help and menu. */
#include "browser/report_browser.h"

const struct screen *const report_screens[] = {
	&table_screen,   &callers_screen, &flame_screen, &times_screen, &spans_screen,
	&threads_screen, &code_screen,    &info_screen,  &help_screen,  NULL,
};
