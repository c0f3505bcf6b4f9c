/* Services and containers from paths of control groups, as systemd and container engines make them. */
#include "unit.h"

#include "base/memory/array.h"
#include "base/text/cgroup_path.h"

#include <stdlib.h>
#include <string.h>

#define ID "3f4c1d0be7a26b1f3c55b6ed6dc1b6cbbd15a4b3d04fe3d5e7b9f7c6a1b2c3d4"
#define ID2 "a7c10b6ff6f1bd23bd16e35b6ec3ba3ad3c6a5af30fbd8ab7ae42a9ba9c1e220"
#define TASK "8d6f3a4f0c4e4b6b9e6a4f3b2c1d0e9f"
#define POD "pod7f3a6c52_9d1e_4a42_8f0b_0f6b2a5c1d3e"

static const struct {
	const char *path, *service, *container;
} cases[] = {
	{ "/", "", "" },
	{ "", "", "" },
	/* systemd, version 2, and name=systemd of version 1 */
	{ "/init.scope", "init", "" },
	{ "/system.slice/nginx.service", "nginx", "" },
	{ "/system.slice/shop\\x2dapi.service", "shop-api", "" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "getty", "" },
	{ "/system.slice/system-postgresql.slice/postgresql@15-main.service", "postgresql", "" },
	{ "/system.slice/mysql.service/threads", "mysql", "" },
	{ "/system.slice/system-foo.slice", "", "" },
	{ "/system.slice/run-u1234.scope", "", "" },
	{ "/system.slice/backup-4711.scope", "backup", "" },
	{ "/system.slice/dbus.socket", "", "" },
	{ "/shop.slice/shop-front.slice/web.service", "web", "" },
	{ "/shop.slice/shop-front.slice/run-r0123456789abcdef.scope", "shop-front", "" },
	{ "/user.slice/user-1000.slice/session-3.scope", "user-1000", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/init.scope", "user-1000", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Terminal-4242.scope",
	  "user-1000", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/sync.service", "sync", "" },
	/* docker: systemd and cgroupfs, versions 1 and 2; in docker; below a slice of one's own */
	{ "/system.slice/docker-" ID ".scope", "", ID },
	{ "/docker/" ID, "", ID },
	{ "/docker/" ID "/docker/" ID2, "", ID2 },
	{ "/docker/" ID "/system.slice/nginx.service", "nginx", ID },
	{ "/system.slice/docker-" ID ".scope/init.scope", "init", ID },
	{ "/shop.slice/docker-" ID ".scope", "shop", ID },
	{ "/system.slice/docker.service", "docker", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope", "user-1000", ID },
	{ "/system.slice:docker:" ID, "", ID },
	/* containerd, nerdctl */
	{ "/default/" ID, "", ID },
	{ "/system.slice/nerdctl-" ID ".scope", "", ID },
	{ "/system.slice/containerd.service", "containerd", "" },
	/* pods: containerd, cri-o and docker; each quality of service; systemd and cgroupfs */
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-" POD ".slice/cri-containerd-" ID
	  ".scope",
	  "", ID },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-" POD ".slice/crio-" ID ".scope", "",
	  ID },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-" POD ".slice/crio-" ID
	  ".scope/container",
	  "", ID },
	{ "/kubepods.slice/kubepods-" POD ".slice/docker-" ID ".scope", "", ID },
	{ "/kubepods/burstable/pod7f3a6c52-9d1e-4a42-8f0b-0f6b2a5c1d3e/" ID, "", ID },
	{ "/kubepods/pod7f3a6c52-9d1e-4a42-8f0b-0f6b2a5c1d3e/crio-" ID, "", ID },
	{ "/system.slice/containerd.service/kubepods-besteffort-" POD ".slice:cri-containerd:" ID, "", ID },
	{ "/kubepods-besteffort-" POD ".slice:cri-containerd:" ID, "", ID },
	{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	  "kubelet-kubepods-besteffort-" POD ".slice/cri-containerd-" ID ".scope",
	  "", ID },
	{ "/docker/" ID "/kubelet/kubepods/besteffort/pod7f3a/" ID2, "", ID2 },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-" POD ".slice", "", "" },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-" POD ".slice/crio-conmon-" ID
	  ".scope",
	  "", "" },
	/* podman: with and without root, below a unit (quadlet), its monitor, its health checks */
	{ "/machine.slice/libpod-" ID ".scope", "", ID },
	{ "/machine.slice/libpod-" ID ".scope/container", "", ID },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "", "" },
	{ "/libpod_parent/libpod-" ID, "", ID },
	{ "/libpod_parent/libpod-conmon-" ID, "libpod_parent", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	  "user-1000", ID },
	{ "/system.slice/shop.service/libpod-payload-" ID, "shop", ID },
	{ "/system.slice/shop.service/runtime", "shop", "" },
	{ "/system.slice/" ID "-1a2b3c.service", "", "" },
	/* ECS, LXC, systemd-nspawn */
	{ "/ecs/" TASK "/" TASK "-1234567890", "", TASK "-1234567890" },
	{ "/ecs/" TASK "/" ID, "", ID },
	{ "/lxc/web1", "", "web1" },
	{ "/lxc.payload.web1/system.slice/nginx.service", "nginx", "web1" },
	{ "/lxc.monitor.web1", "", "" },
	{ "/machine.slice/systemd-nspawn@build.service/payload", "", "build" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", "", "qemu-1-vm" },
	/* others */
	{ "/openrc.nginx", "nginx", "" },
	{ "/shop/api", "shop", "" },
	{ "/../../system.slice/nginx.service", "nginx", "" },
	{ "system.slice/nginx.service/", "nginx", "" },
	/* hostile names */
	{ "/system.slice/a,b=c}d\"e.service", "a_b_c_d_e", "" },
	{ "/system.slice/a\\x0ab\\x00c\\xffd.service", "a_b_c_d", "" },
	{ "/system.slice/a\033[31m\xc3\xa4.service", "a__31m__", "" },
	{ "/system.slice/a\\x2.service", "a_x2", "" },
	{ "/system.slice/.service", "", "" },
	{ "/system.slice/@1.service", "", "" },
	{ "/lxc/a b", "", "a_b" },
	{ "/docker/" ID "0", "docker", "" },
	{ "////", "", "" },
};

static void each_form_is_known(void **state)
{
	struct cgroup_path p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cgroup_path__parse(&p, cases[i].path, strlen(cases[i].path));
		if (strcmp(p.service, cases[i].service) != 0 || strcmp(p.container, cases[i].container) != 0)
			fail_msg("%s: service '%s', container '%s'", cases[i].path, p.service, p.container);
	}
}

/* Each part of each path, without a NUL after it. */
static void the_size_is_the_end(void **state)
{
	struct cgroup_path p, whole;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t size = 0; size <= strlen(cases[i].path); size++) {
			char *part = malloc(size + 1), *ends = strndup(cases[i].path, size);

			assert_non_null(part);
			memcpy(part, cases[i].path, size);
			part = realloc(part, size ? size : 1);
			cgroup_path__parse(&p, part, size);
			cgroup_path__parse(&whole, ends, size + 1);
			assert_string_equal(p.service, whole.service);
			assert_string_equal(p.container, whole.container);
			free(part);
			free(ends);
		}
}

static void other_names_have_the_same_characters(void **state)
{
	struct cgroup_path p;

	(void)state;
	cgroup_path__set_service(&p, "Web Content");
	assert_string_equal(p.service, "Web_Content");
	cgroup_path__set_service(&p, "a}\n{,\xc3=");
	assert_string_equal(p.service, "a______");
}

static void long_names_are_cut_off(void **state)
{
	static const char prefix[] = "/lxc/";
	struct cgroup_path p;
	char path[1000];

	(void)state;
	memset(path, 'z', sizeof(path));
	memcpy(path, prefix, strlen(prefix));
	cgroup_path__parse(&p, path, sizeof(path));
	assert_int_equal(strlen(p.container), CGROUP_NAME_SIZE - 1);
	memcpy(path + sizeof(path) - 8, ".service", 8);
	memcpy(path, "/////", strlen(prefix));
	cgroup_path__parse(&p, path, sizeof(path));
	assert_int_equal(strlen(p.service), CGROUP_NAME_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_known),
		cmocka_unit_test(the_size_is_the_end),
		cmocka_unit_test(other_names_have_the_same_characters),
		cmocka_unit_test(long_names_are_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
