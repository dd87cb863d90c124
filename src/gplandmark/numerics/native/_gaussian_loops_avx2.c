/* The loops of _gaussian_loops.c again, for processors with AVX2 and FMA. */
#include "_gaussian_loops.h"

#ifdef HAS_AVX2_LOOPS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define GAUSSIAN_LOOPS gplandmark_avx2_loops
#include "_gaussian_loops.c"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
