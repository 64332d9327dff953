/* What the example programs check with: a failure says where, and in the library's own words what. */
#ifndef CHECK_H
#define CHECK_H

#include <ringfence.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);    \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)
/* The call answers with this status. */
#define EXPECT(status, call)                                                      \
  do {                                                                            \
    ringfence_status_t is_ = (call);                                              \
    if (is_ != (status)) {                                                        \
      char text_[512];                                                            \
      ringfence_last_error(text_, sizeof text_);                                  \
      fprintf(stderr, "%s:%d: %s is %d: %s\n", __FILE__, __LINE__, #call, (int)is_, text_); \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)
#define OK(call) EXPECT(RINGFENCE_OK, call)

#endif
