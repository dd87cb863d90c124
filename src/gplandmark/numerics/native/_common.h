/* What every file of compiled loops needs. */
#ifndef GPLANDMARK_COMMON_H
#define GPLANDMARK_COMMON_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

typedef ptrdiff_t index_t;

#endif
