/* Builds TRACING_DATA: tracepoints of the system "test" with ids from 1 on, by their fields and print
 * formats. */
#ifndef TRACE_IMAGE_H
#define TRACE_IMAGE_H

#include "base/text/strbuf.h"
#include "event/tracepoint/trace_header.h"

#include <string.h>

struct trace_image_event {
	const char *name, *fields, *print;
};

#define TRACE_COMMON                                                               \
	"	field:unsigned short common_type;	offset:0;	size:2;	signed:0;\n"         \
	"	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;\n"         \
	"	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;\n" \
	"	field:int common_pid;	offset:4;	size:4;	signed:1;\n\n"
#define TRACE_FIELD(decl, offset, size, is_signed) \
	"	field:" decl ";	offset:" #offset ";	size:" #size ";	signed:" #is_signed ";\n"

#define TRACE_IMAGE_FN static __attribute__((unused))

struct trace_image {
	struct strbuf b;
	bool big_endian;
	u8 long_size;
};

/* Of this machine. */
TRACE_IMAGE_FN void trace_image__init(struct trace_image *im)
{
	*im = (struct trace_image){ .b = STRBUF_INIT, .long_size = 8 };
	im->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

TRACE_IMAGE_FN void trace_image__number(struct trace_image *im, u64 x, int size)
{
	for (int i = 0; i < size; i++)
		strbuf__addch(&im->b, (char)(x >> 8 * (im->big_endian ? size - 1 - i : i)));
}

TRACE_IMAGE_FN void trace_image__sized(struct trace_image *im, const char *text)
{
	trace_image__number(im, strlen(text), 8);
	strbuf__addstr(&im->b, text);
}

TRACE_IMAGE_FN void trace_image__build(struct trace_image *im, const struct trace_image_event *events,
				       size_t nr, const char *printk)
{
	strbuf__add(&im->b, TRACE_HEADER_MAGIC, sizeof(TRACE_HEADER_MAGIC) - 1);
	strbuf__add(&im->b, "0.6", 4);
	trace_image__number(im, im->big_endian, 1);
	trace_image__number(im, im->long_size, 1);
	trace_image__number(im, 4096, 4);
	strbuf__add(&im->b, "header_page", 12);
	trace_image__sized(im, "");
	strbuf__add(&im->b, "header_event", 13);
	trace_image__sized(im, "");
	trace_image__number(im, 0, 4);
	trace_image__number(im, 1, 4);
	strbuf__add(&im->b, "test", 5);
	trace_image__number(im, nr, 4);
	for (size_t i = 0; i < nr; i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf__addf(&text, "name: %s\nID: %zu\nformat:\n" TRACE_COMMON "%s\nprint fmt: %s\n",
			     events[i].name, i + 1, events[i].fields, events[i].print);
		trace_image__sized(im, text.buf);
		strbuf__exit(&text);
	}
	trace_image__number(im, 0, 4);
	trace_image__number(im, strlen(printk), 4);
	strbuf__addstr(&im->b, printk);
	trace_image__sized(im, "");
}

#endif
