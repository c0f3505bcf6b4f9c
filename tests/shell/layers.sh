# check-layers finds what it should: an upward include, a forbidden one, a circle, a loose name
. "$PERF_SRC/tests/lib.sh"

mkdir -p util/base util/model util/record util/zoo
echo '#include "base/b.h"' >util/base/a.h
echo '#include "base/c.h"' >util/base/b.c
echo '#include "base/a.h"' >util/base/c.h
echo '#include "record/r.h"' >util/model/m.h
echo '#include "model/m.h"' >util/record/r.c
echo '#include "k.h"' >util/zoo/k.c
touch util/base/b.h util/record/r.h util/zoo/k.h
mkdir -p util/record/flow util/record/host util/record/attic
echo "int a;" | tee util/record/flow/f.h >util/record/attic/a.h
echo '#include "record/flow/f.h"' >util/record/host/h.h
for i in $(seq 41); do echo "int a;" >"util/record/host/h$i.c"; done
expect_status 1 sh "$PERF_SRC/tools/check-layers" .
expect_text out "circle of includes: "
expect_text out 'util/model/m.h:1: model (3) includes record (5): "record/r.h"'
expect_text out 'util/record/r.c:1: record must not include model: "model/m.h"'
expect_text out 'util/zoo/k.c:1: folder "zoo" has no rank'
expect_text out 'includes "k.h", which is no file of util/'
expect_text out 'util/record/host/h.h:1: record/host includes record/flow, which comes after it: "record/flow/f.h"'
expect_text out 'room "record/attic" has no place'
expect_text out 'more than 40 files in "record/host"'

rm -r util
mkdir -p util/base util/model
echo '#include "base/b.h"' >util/model/a.c
touch util/base/b.h
expect_status 0 sh "$PERF_SRC/tools/check-layers" .
expect_line out "check-layers: 2 files, 1 includes, 0 violations"
