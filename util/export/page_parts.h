/*
 * The page of web/ as the Makefile puts it together: what comes before the samples, and what comes after
 * them. page_head_end and page_tail_end are just after the last byte; there is no NUL.
 */
#ifndef EXPORT_PAGE_PARTS_H
#define EXPORT_PAGE_PARTS_H

extern const char page_head[], page_head_end[], page_tail[], page_tail_end[];

#endif
