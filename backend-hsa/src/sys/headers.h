// What the bindings beside this file are generated from; the command is at their head.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/amd_hsa_queue.h>
