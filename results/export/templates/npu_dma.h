/* A stub of an NPU's DMA engine: it copies between DRAM and the scratchpad (SPM) and counts bytes. Replace it by the
   real one. The program defines IN_T, OUT_T, ACC_T (the types of inputs, results, partial sums in DRAM and SPM), and
   for convolutions the window, before it includes this file. */
#ifndef NPU_DMA_H
#define NPU_DMA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef IN_T in_t;
typedef OUT_T out_t;
typedef ACC_T acc_t;
/* Tiles begin at any byte of the SPM. */
typedef in_t spm_in __attribute__((aligned(1)));
typedef acc_t spm_acc __attribute__((aligned(1)));

static long long dma_bytes_in, dma_bytes_out;

static inline long dma_min(long a, long b) { return a < b ? a : b; }
static inline long dma_max(long a, long b) { return a > b ? a : b; }

/* rows of row_bytes from DRAM, stride_bytes apart, to a dense tile. */
static inline void dma_in(void *spm, const void *dram, long rows, long row_bytes, long stride_bytes) {
  for (long i = 0; i < rows; i++) memcpy((char *)spm + i * row_bytes, (const char *)dram + i * stride_bytes, (size_t)row_bytes);
  dma_bytes_in += rows * row_bytes;
}

/* The reverse. */
static inline void dma_out(void *dram, const void *spm, long rows, long row_bytes, long stride_bytes) {
  for (long i = 0; i < rows; i++) memcpy((char *)dram + i * stride_bytes, (const char *)spm + i * row_bytes, (size_t)row_bytes);
  dma_bytes_out += rows * row_bytes;
}

/* A complete tile of partial sums becomes results. */
static inline void dma_out_result(out_t *dram, const spm_acc *spm, long rows, long columns, long stride) {
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < columns; j++) dram[i * stride + j] = (out_t)spm[i * columns + j];
  dma_bytes_out += rows * columns * (long)sizeof(out_t);
}

/* The same where cores split the reduction: sums are added up later. */
static inline void dma_out_sums(acc_t *dram, const spm_acc *spm, long rows, long columns, long stride) {
  dma_out(dram, spm, rows, columns * (long)sizeof(acc_t), stride * (long)sizeof(acc_t));
}

#ifdef CONV_H
/* Output pixels m0..m1-1 of channels c0..c1-1 read one box of pixels of each image that they touch; a slot holds the
   boxes one after the other, or, where that is less, the unfolded tile. */
typedef struct { long m0, m1, k0, k1; } dma_tile;
typedef struct { long h0, h1, w0, w1; } dma_box;

static inline dma_box dma_box_of(const dma_tile *t, long image) {
  const long pixels = CONV_P * CONV_Q, first = dma_max(t->m0 - image * pixels, 0), last = dma_min(t->m1 - image * pixels, pixels) - 1;
  const long p0 = first / CONV_Q, p1 = last / CONV_Q;
  const long q0 = p0 == p1 ? first % CONV_Q : 0, q1 = p0 == p1 ? last % CONV_Q : CONV_Q - 1;
  dma_box b;
  b.h0 = dma_min(dma_max(p0 * CONV_STRIDE_H - CONV_PAD_H, 0), CONV_H);
  b.h1 = dma_max(dma_min(p1 * CONV_STRIDE_H - CONV_PAD_H + (CONV_R - 1) * CONV_DILATION_H + 1, CONV_H), b.h0);
  b.w0 = dma_min(dma_max(q0 * CONV_STRIDE_W - CONV_PAD_W, 0), CONV_W);
  b.w1 = dma_max(dma_min(q1 * CONV_STRIDE_W - CONV_PAD_W + (CONV_S - 1) * CONV_DILATION_W + 1, CONV_W), b.w0);
  return b;
}

static inline long dma_area(dma_box b) { return (b.h1 - b.h0) * (b.w1 - b.w0); }
static inline long dma_c0(const dma_tile *t) { return t->k0 / (CONV_R * CONV_S); }
static inline long dma_c1(const dma_tile *t) { return (t->k1 - 1) / (CONV_R * CONV_S) + 1; }
static inline int dma_empty(const dma_tile *t) { return t->m0 >= t->m1 || t->k0 >= t->k1; }

/* Where im2col finds element (m, k): place in the images [image][channel][h][w], and in a slot; -1 in the padding. */
typedef struct { long dram, spm; } dma_place;

static inline dma_place dma_find(const dma_tile *t, long m, long k) {
  const long image = m / (CONV_P * CONV_Q), p = m / CONV_Q % CONV_P, q = m % CONV_Q;
  const long c = k / (CONV_R * CONV_S), r = k / CONV_S % CONV_R, s = k % CONV_S;
  const long h = p * CONV_STRIDE_H + r * CONV_DILATION_H - CONV_PAD_H, w = q * CONV_STRIDE_W + s * CONV_DILATION_W - CONV_PAD_W;
  dma_place at = {-1, -1};
  if (h < 0 || h >= CONV_H || w < 0 || w >= CONV_W) return at;
  at.dram = ((image * CONV_CHANNELS + c) * CONV_H + h) * CONV_W + w;
  if (CONV_UNFOLDED) {
    at.spm = (m - t->m0) * (t->k1 - t->k0) + k - t->k0;
    return at;
  }
  long before = 0;
  for (long i = t->m0 / (CONV_P * CONV_Q); i < image; i++) before += dma_area(dma_box_of(t, i));
  const dma_box b = dma_box_of(t, image);
  at.spm = before * (dma_c1(t) - dma_c0(t)) + (c - dma_c0(t)) * dma_area(b) + (h - b.h0) * (b.w1 - b.w0) + w - b.w0;
  return at;
}

/* Elements of a tile in its slot. */
static inline long dma_elements(const dma_tile *t) {
  if (dma_empty(t)) return 0;
  if (CONV_UNFOLDED) return (t->m1 - t->m0) * (t->k1 - t->k0);
  long n = 0;
  for (long i = t->m0 / (CONV_P * CONV_Q); i <= (t->m1 - 1) / (CONV_P * CONV_Q); i++) n += dma_area(dma_box_of(t, i));
  return n * (dma_c1(t) - dma_c0(t));
}

static inline void dma_in_pixels(spm_in *spm, const in_t *images, const dma_tile *t) {
  if (CONV_UNFOLDED) {
    for (long m = t->m0; m < t->m1; m++)
      for (long k = t->k0; k < t->k1; k++) {
        const dma_place at = dma_find(t, m, k);
        if (at.dram >= 0) spm[at.spm] = images[at.dram];
      }
  } else if (!dma_empty(t)) {
    long n = 0;
    for (long i = t->m0 / (CONV_P * CONV_Q); i <= (t->m1 - 1) / (CONV_P * CONV_Q); i++) {
      const dma_box b = dma_box_of(t, i);
      for (long c = dma_c0(t); c < dma_c1(t); c++)
        for (long h = b.h0; h < b.h1; h++)
          for (long w = b.w0; w < b.w1; w++) spm[n++] = images[((i * CONV_CHANNELS + c) * CONV_H + h) * CONV_W + w];
    }
  }
  dma_bytes_in += dma_elements(t) * (long)sizeof(in_t);
}

/* Adds a complete tile of pixels to the images: windows overlap, and what several tiles have of a pixel adds up. */
#define DMA_ADD_PIXELS(NAME, TYPE) \
  static inline void NAME(TYPE *images, const spm_acc *spm, const dma_tile *t) { \
    if (CONV_UNFOLDED) { \
      for (long m = t->m0; m < t->m1; m++) \
        for (long k = t->k0; k < t->k1; k++) { \
          const dma_place at = dma_find(t, m, k); \
          if (at.dram >= 0) images[at.dram] = (TYPE)(images[at.dram] + spm[at.spm]); \
        } \
    } else if (!dma_empty(t)) { \
      long n = 0; \
      for (long i = t->m0 / (CONV_P * CONV_Q); i <= (t->m1 - 1) / (CONV_P * CONV_Q); i++) { \
        const dma_box b = dma_box_of(t, i); \
        for (long c = dma_c0(t); c < dma_c1(t); c++) \
          for (long h = b.h0; h < b.h1; h++) \
            for (long w = b.w0; w < b.w1; w++) { \
              TYPE *at = &images[((i * CONV_CHANNELS + c) * CONV_H + h) * CONV_W + w]; \
              *at = (TYPE)(*at + spm[n++]); \
            } \
      } \
    } \
    dma_bytes_out += dma_elements(t) * (long)sizeof(TYPE); \
  }
DMA_ADD_PIXELS(dma_add_pixels, out_t)
DMA_ADD_PIXELS(dma_add_sums, acc_t)
#endif

#endif
