// Distance kernels, chosen once by what the CPU can do. Built without -march: the same file runs everywhere.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef float (*sluice_kernel)(const float *a, const float *b, size_t dims);

// Dot product and squared euclidean distance. Both are exact to float rounding and symmetric in their arguments.
sluice_kernel sluice_kernel_dot(void);
sluice_kernel sluice_kernel_l2(void);
// Name of the chosen set: "avx512", "avx2", "neon" or "scalar".
const char *sluice_kernel_name(void);

#ifdef __cplusplus
}
#endif
