#include "model/map_files.h"

void map_files__exit(struct map_files *f)
{
	arena__exit(&f->arena);
	hash_table__exit(&f->table);
	array__exit(&f->v);
	array__exit(&f->sources);
	f->last = NULL;
}

struct map_file *map_files__find_add_slow(struct map_files *f, const struct record *r, size_t nr_bytes)
{
	const u8 *bytes = (const u8 *)r->header + MAP_BYTES_START;
	u64 hash = hash__bytes(bytes, nr_bytes, (u64)r->header->type << 16 | r->header->misc);
	struct map_file *file;
	struct mmap_record m;
	size_t end;
	u32 i;

	hash_table__for_each (&f->table, hash, i)
		if (map_file__has(f->v.v[i], r, nr_bytes))
			return f->last = f->v.v[i];
	if (!record__mmap(r, &m))
		return NULL;
	end = (size_t)((const u8 *)m.filename - bytes) + strlen(m.filename) + 1;
	file = arena__zalloc(&f->arena, sizeof(*file));
	*file = (struct map_file){
		.record = m, .dso = MAP_FILE_NO_DSO, .header = *r->header, .nr_bytes = (u32)nr_bytes
	};
	file->bytes = arena__memdup(&f->arena, bytes, MAX(end, nr_bytes));
	file->record.filename = (const char *)file->bytes + ((const u8 *)m.filename - bytes);
	if (m.build_id)
		file->record.build_id = file->bytes + (m.build_id - bytes);
	if (end > nr_bytes)
		/* invalid: the name runs into the trailer. Use it without sharing the file. */
		return file;
	hash_table__insert(&f->table, hash, (u32)f->v.nr);
	array__add(&f->v, file);
	return f->last = file;
}
