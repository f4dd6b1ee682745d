// C ABI over hnswlib's HierarchicalNSW, in float32. No exception leaves it: a call that fails returns a negative
// number (or null) and writes a message.
//
// Threads: `insert` may run on many threads at once, after the first element is in. `search` and the readers may run
// on many threads at once. Everything else needs the graph for itself, and so does an insert against a search: hnswlib
// takes no locks when it searches. The caller holds a read-write lock.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_hnsw sluice_hnsw;

#define SLUICE_HNSW_ERROR_BYTES 256

enum sluice_metric { SLUICE_DOT = 0, SLUICE_L2 = 1 };

// What hnswlib writes at the start of a file, less the constants.
typedef struct {
    uint64_t count;
    uint64_t capacity;
    uint64_t bytes_per_element;
    uint64_t label_offset;
    uint64_t data_offset;
    uint64_t m;
    uint64_t max_m;
    uint64_t max_m0;
    uint64_t ef_construction;
    uint64_t bytes_per_level;
    int32_t max_level;
    uint32_t entry;
} sluice_hnsw_shape;

sluice_hnsw *sluice_hnsw_new(size_t dims, int metric, size_t m, size_t ef_construction, size_t capacity, char *error);
void sluice_hnsw_free(sluice_hnsw *graph);
int sluice_hnsw_reserve(sluice_hnsw *graph, size_t capacity, char *error);

// Adds one element on the given level of the hierarchy.
int sluice_hnsw_insert(sluice_hnsw *graph, uint32_t label, int level, const float *vector, char *error);
// Adds an element that no walk visits: its only link leads to `original`, which holds the same vector. Returns its id.
int64_t sluice_hnsw_append_duplicate(sluice_hnsw *graph, uint32_t label, uint32_t original, char *error);

// Bits by label; labels past the end are not allowed. `also`, if there, is asked about labels whose bit is not set.
typedef struct {
    const uint8_t *bits;
    size_t bytes;
    bool (*also)(const void *context, uint32_t label);
    const void *context;
} sluice_hnsw_filter;

// Walks the graph; returns how many ids and distances it wrote, at most `ef`, nearest first. `filter` may be null.
int64_t sluice_hnsw_search(
    const sluice_hnsw *graph, const float *query, size_t ef, const sluice_hnsw_filter *filter, uint32_t *ids,
    float *distances, char *error);

// Internal id of a label, or -1.
int64_t sluice_hnsw_find(const sluice_hnsw *graph, uint32_t label);
sluice_hnsw_shape sluice_hnsw_describe(const sluice_hnsw *graph);
// All elements, `bytes_per_element` apart: links of the ground level, vector, label (64 bits).
uint8_t *sluice_hnsw_elements(const sluice_hnsw *graph);
// Links of one element above the ground level: bytes and pointer. 0 and null for most.
size_t sluice_hnsw_upper_bytes(const sluice_hnsw *graph, uint32_t id);
const uint8_t *sluice_hnsw_upper(const sluice_hnsw *graph, uint32_t id);

// Loading, on a graph with enough capacity whose elements were filled by the caller, who has checked everything.
// `restore_upper` in ascending order for every element, then `restore_finish`.
uint8_t *sluice_hnsw_restore_upper(sluice_hnsw *graph, uint32_t id, size_t bytes, char *error);
int sluice_hnsw_restore_finish(sluice_hnsw *graph, size_t count, int32_t max_level, uint32_t entry, char *error);

#ifdef __cplusplus
}
#endif
