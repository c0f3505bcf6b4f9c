/* Which debuginfod server a system uses, by its os-release file. */
#include "unit.h"

#include "binary/elf/debuginfod.h"

#include <string.h>

static void assert_server(const char *os_release, const char *part)
{
	const char *url = debuginfod__usual_server(os_release);

	assert_non_null(url);
	if (!strstr(url, part))
		fail_msg("'%s' leads to %s, not to %s", os_release, url, part);
}

/* From the files of these systems. */
static void systems_have_servers_of_their_own(void **state)
{
	(void)state;
	assert_server("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n", "debian.net");
	assert_server("PRETTY_NAME=\"Ubuntu 24.04 LTS\"\nID=ubuntu\nID_LIKE=debian\n", "ubuntu.com");
	assert_server("NAME=\"Fedora Linux\"\nID=fedora\nVERSION_ID=40", "fedoraproject.org");
	assert_server("NAME=\"CentOS Stream\"\nID=\"centos\"\nID_LIKE=\"rhel fedora\"\n", "centos.org");
	assert_server("NAME=\"Arch Linux\"\nID=arch\n", "archlinux.org");
	assert_server("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "opensuse.org");
	assert_server("ID='opensuse-leap'\nID_LIKE='suse opensuse'\n", "opensuse.org");
}

static void derived_systems_use_the_server_of_their_packages(void **state)
{
	(void)state;
	assert_server("ID_LIKE=\"ubuntu debian\"\nID=linuxmint\n", "ubuntu.com");
	assert_server("ID=raspbian\nID_LIKE=debian\n", "debian.net");
	assert_server("ID=manjaro\nID_LIKE=arch\n", "archlinux.org");
	/* built anew: neither Fedora's nor CentOS's server has them */
	assert_server("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "elfutils.org");
}

static void other_systems_use_the_server_that_asks_all(void **state)
{
	(void)state;
	assert_server(NULL, "elfutils.org");
	assert_server("", "elfutils.org");
	assert_server("ID=\n", "elfutils.org");
	assert_server("ID=\"", "elfutils.org");
	assert_server("ID=alpine", "elfutils.org");
	assert_server("VERSION_ID=debian\nPLATFORM_ID=fedora\n", "elfutils.org");
	assert_server("ID=debianoid\nID_LIKE=\"\n", "elfutils.org");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(systems_have_servers_of_their_own),
		cmocka_unit_test(derived_systems_use_the_server_of_their_packages),
		cmocka_unit_test(other_systems_use_the_server_that_asks_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
