// A server in C++ (see requests.h). Shapes: plain; throws: of 50 requests, one throws an exception through
// handle_request.
#include "requests.h"

#include <cstring>
#include <stdexcept>

namespace shop
{

struct Server {
	bool throws;
	KEEP long handle_request(request &r);
};

KEEP static void refuse(request &r)
{
	r.outcome = THROWN;
	throw std::runtime_error("refused");
}

KEEP long Server::handle_request(request &r)
{
	r.begin = now_ns();
	do_request(&r);
	if (throws && r.random % 50 == 0)
		refuse(r);
	r.end = now_ns();
	return 1;
}

Server server;

} // namespace shop

static void serve(worker *w)
{
	request r;

	while (worker__next(w, &r)) {
		try {
			shop::server.handle_request(r);
		} catch (const std::runtime_error &) {
			r.end = now_ns();
		}
		worker__done(w, &r);
	}
}

int main(int argc, char **argv)
{
	requests_opts o;

	if (int status = requests__init(&o, argc, argv))
		return status;
	shop::server.throws = !strcmp(o.shape, "throws");
	return requests__run(&o, serve);
}
