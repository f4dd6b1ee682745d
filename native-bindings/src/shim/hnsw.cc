#include "hnsw.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

// Its SSE code is for its own distances, but the same switch turns on its prefetching: leave it as it is.
#include "hnswlib.h"
#include "kernels.h"

namespace {

// hnswlib's inner product is 1 - dot. Only the order of distances shapes a graph, and without the constant a
// similarity keeps all its bits.
struct Parameters {
    sluice_kernel kernel;
    size_t dims;
};

float negative_dot(const void *a, const void *b, const void *parameters) {
    const auto *p = static_cast<const Parameters *>(parameters);
    return -p->kernel(static_cast<const float *>(a), static_cast<const float *>(b), p->dims);
}

float squared_l2(const void *a, const void *b, const void *parameters) {
    const auto *p = static_cast<const Parameters *>(parameters);
    return p->kernel(static_cast<const float *>(a), static_cast<const float *>(b), p->dims);
}

class Space : public hnswlib::SpaceInterface<float> {
 public:
    Space(size_t dims, int metric)
        : parameters_{metric == SLUICE_L2 ? sluice_kernel_l2() : sluice_kernel_dot(), dims},
          distance_(metric == SLUICE_L2 ? squared_l2 : negative_dot) {}

    size_t get_data_size() override { return parameters_.dims * sizeof(float); }
    hnswlib::DISTFUNC<float> get_dist_func() override { return distance_; }
    void *get_dist_func_param() override { return &parameters_; }

 private:
    Parameters parameters_;
    hnswlib::DISTFUNC<float> distance_;
};

class Filter : public hnswlib::BaseFilterFunctor {
 public:
    explicit Filter(const sluice_hnsw_filter &filter) : filter_(filter) {}

    bool operator()(hnswlib::labeltype label) override {
        const size_t at = label >> 3;
        if (at < filter_.bytes && ((filter_.bits[at] >> (label & 7)) & 1) != 0) return true;
        return filter_.also != nullptr && filter_.also(filter_.context, static_cast<uint32_t>(label));
    }

 private:
    sluice_hnsw_filter filter_;
};

using Graph = hnswlib::HierarchicalNSW<float>;

template <typename Call>
auto guarded(char *error, decltype(std::declval<Call>()()) failed, Call call) -> decltype(call()) {
    const char *reason = "unknown C++ exception";
    char copy[SLUICE_HNSW_ERROR_BYTES];
    try {
        return call();
    } catch (const std::exception &exception) {
        strncpy(copy, exception.what(), sizeof copy - 1);
        copy[sizeof copy - 1] = 0;
        reason = copy;
    } catch (...) {
    }
    strncpy(error, reason, SLUICE_HNSW_ERROR_BYTES - 1);
    error[SLUICE_HNSW_ERROR_BYTES - 1] = 0;
    return failed;
}

}  // namespace

struct sluice_hnsw {
    Space space;
    std::unique_ptr<Graph> graph;

    sluice_hnsw(size_t dims, int metric) : space(dims, metric) {}

    // A walk jumps all over this memory; with 4 KB pages most jumps would also miss the TLB.
    void prefer_huge_pages() const {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        const size_t bytes = graph->max_elements_ * graph->size_data_per_element_;
        const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        const uintptr_t start = reinterpret_cast<uintptr_t>(graph->data_level0_memory_);
        const uintptr_t first = (start + page - 1) / page * page;
        const uintptr_t end = (start + bytes) / page * page;
        if (end > first && end - first >= (size_t{4} << 20)) {
            madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
        }
#endif
    }
};

sluice_hnsw *sluice_hnsw_new(size_t dims, int metric, size_t m, size_t ef_construction, size_t capacity, char *error) {
    return guarded(error, static_cast<sluice_hnsw *>(nullptr), [&] {
        auto made = std::make_unique<sluice_hnsw>(dims, metric);
        made->graph = std::make_unique<Graph>(&made->space, capacity, m, ef_construction, 0);
        // Levels come from the caller. hnswlib would draw them from a generator that its threads share without a
        // lock; with this factor at 0 its draw is always 0 and nothing depends on it.
        made->graph->mult_ = 0;
        made->prefer_huge_pages();
        return made.release();
    });
}

void sluice_hnsw_free(sluice_hnsw *graph) { delete graph; }

int sluice_hnsw_reserve(sluice_hnsw *graph, size_t capacity, char *error) {
    return guarded(error, -1, [&] {
        if (capacity > graph->graph->max_elements_) {
            graph->graph->resizeIndex(capacity);
            graph->prefer_huge_pages();
        }
        return 0;
    });
}

int sluice_hnsw_insert(sluice_hnsw *graph, uint32_t label, int level, const float *vector, char *error) {
    return guarded(error, -1, [&] {
        graph->graph->addPoint(vector, label, level);
        return 0;
    });
}

int64_t sluice_hnsw_append_duplicate(sluice_hnsw *handle, uint32_t label, uint32_t original, char *error) {
    return guarded(error, int64_t{-1}, [&]() -> int64_t {
        Graph &graph = *handle->graph;
        if (graph.cur_element_count >= graph.max_elements_) throw std::runtime_error("no room for a duplicate");
        const auto id = static_cast<hnswlib::tableint>(graph.cur_element_count);
        graph.label_lookup_[label] = id;
        memcpy(graph.get_linklist0(id), graph.get_linklist0(original), graph.size_data_per_element_);
        memset(graph.get_linklist0(id), 0, graph.size_links_level0_);
        graph.setExternalLabel(id, label);
        graph.setListCount(graph.get_linklist0(id), 1);
        *(graph.get_linklist0(id) + 1) = original;
        graph.element_levels_[id] = 0;
        graph.linkLists_[id] = nullptr;
        graph.cur_element_count = id + 1;
        return id;
    });
}

int64_t sluice_hnsw_search(
    const sluice_hnsw *handle, const float *query, size_t ef, const sluice_hnsw_filter *filter, uint32_t *ids,
    float *distances, char *error) {
    return guarded(error, int64_t{-1}, [&]() -> int64_t {
        const Graph &graph = *handle->graph;
        if (graph.cur_element_count == 0) return 0;
        const auto distance = [&](hnswlib::tableint id) {
            return graph.fstdistfunc_(query, graph.getDataByInternalId(id), graph.dist_func_param_);
        };
        hnswlib::tableint nearest = graph.enterpoint_node_;
        float best = distance(nearest);
        for (int level = graph.maxlevel_; level > 0; level--) {
            for (bool moved = true; moved;) {
                moved = false;
                const unsigned int *links = graph.get_linklist(nearest, level);
                const size_t count = graph.getListCount(const_cast<unsigned int *>(links));
                for (size_t i = 1; i <= count; i++) {
                    const float candidate = distance(links[i]);
                    if (candidate < best) {
                        best = candidate;
                        nearest = links[i];
                        moved = true;
                    }
                }
            }
        }
        Filter allowed(filter == nullptr ? sluice_hnsw_filter{} : *filter);
        auto found = filter == nullptr ? graph.searchBaseLayerST<true>(nearest, query, ef)
                                       : graph.searchBaseLayerST<false>(nearest, query, ef, &allowed);
        const auto count = static_cast<int64_t>(found.size());
        for (int64_t at = count - 1; at >= 0; at--) {
            distances[at] = found.top().first;
            ids[at] = found.top().second;
            found.pop();
        }
        return count;
    });
}

int64_t sluice_hnsw_find(const sluice_hnsw *graph, uint32_t label) {
    const auto found = graph->graph->label_lookup_.find(label);
    return found == graph->graph->label_lookup_.end() ? -1 : static_cast<int64_t>(found->second);
}

sluice_hnsw_shape sluice_hnsw_describe(const sluice_hnsw *handle) {
    const Graph &graph = *handle->graph;
    return {
        graph.cur_element_count,
        graph.max_elements_,
        graph.size_data_per_element_,
        graph.label_offset_,
        graph.offsetData_,
        graph.M_,
        graph.maxM_,
        graph.maxM0_,
        graph.ef_construction_,
        graph.size_links_per_element_,
        graph.maxlevel_,
        graph.enterpoint_node_,
    };
}

uint8_t *sluice_hnsw_elements(const sluice_hnsw *graph) {
    return reinterpret_cast<uint8_t *>(graph->graph->data_level0_memory_);
}

size_t sluice_hnsw_upper_bytes(const sluice_hnsw *graph, uint32_t id) {
    return static_cast<size_t>(graph->graph->element_levels_[id]) * graph->graph->size_links_per_element_;
}

const uint8_t *sluice_hnsw_upper(const sluice_hnsw *graph, uint32_t id) {
    return reinterpret_cast<const uint8_t *>(graph->graph->linkLists_[id]);
}

uint8_t *sluice_hnsw_restore_upper(sluice_hnsw *handle, uint32_t id, size_t bytes, char *error) {
    return guarded(error, static_cast<uint8_t *>(nullptr), [&] {
        Graph &graph = *handle->graph;
        // hnswlib's prefetching reads the number after a full list.
        auto *links = static_cast<uint8_t *>(malloc(bytes + sizeof(hnswlib::tableint)));
        if (links == nullptr) throw std::bad_alloc();
        graph.linkLists_[id] = reinterpret_cast<char *>(links);
        graph.element_levels_[id] = static_cast<int>(bytes / graph.size_links_per_element_);
        // The destructor frees the lists of the elements that are counted.
        graph.cur_element_count = id + 1;
        return links;
    });
}

int sluice_hnsw_restore_finish(
    sluice_hnsw *handle, size_t count, int32_t max_level, uint32_t entry, char *error) {
    return guarded(error, -1, [&] {
        Graph &graph = *handle->graph;
        graph.cur_element_count = count;
        graph.label_lookup_.reserve(count);
        for (size_t id = 0; id < count; id++) {
            const hnswlib::labeltype label = graph.getExternalLabel(static_cast<hnswlib::tableint>(id));
            if (!graph.label_lookup_.emplace(label, static_cast<hnswlib::tableint>(id)).second) {
                throw std::runtime_error("two elements have label " + std::to_string(label));
            }
        }
        graph.maxlevel_ = max_level;
        graph.enterpoint_node_ = entry;
        return 0;
    });
}
