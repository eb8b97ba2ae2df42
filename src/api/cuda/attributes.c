/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - attributes of launches, kernels' nodes and streams: which
 * values they take. */
#include "api/cuda/graph.h"

/* A kernel's own traffic and that of copies, which may go separate ways: so
 * many there are, and each is one of the device's. */
enum { LOGICAL_DOMAINS = 2 };

static unsigned
domains(void)
{
    const sw_rt_context *c = sw_rt_current(NULL);
    int count = c ? sw_rt_device_get(c->device,
                                     CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT)
                  : 1;
    return count > 0 ? (unsigned)count : 1;
}

bool
sw_api_attribute_is_valid(CUlaunchAttributeID id,
                          const CUlaunchAttributeValue *v)
{
    switch ((int)id) {
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        return (unsigned)v->syncPolicy - CU_SYNC_POLICY_AUTO <=
               CU_SYNC_POLICY_BLOCKING_SYNC - CU_SYNC_POLICY_AUTO;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        return (unsigned)v->memSyncDomain < LOGICAL_DOMAINS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        return v->memSyncDomainMap.default_ < domains() &&
               v->memSyncDomainMap.remote < domains();
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return (int)v->sharedMemCarveout >= -1 &&
               (int)v->sharedMemCarveout <= 100;
    default:
        return (unsigned)id < CU_LAUNCH_ATTRIBUTE_MAX;
    }
}

int
sw_api_priority(int priority)
{
    int least = 0, greatest = 0;
    cuCtxGetStreamPriorityRange(&least, &greatest);
    return priority > least ? least : priority < greatest ? greatest : priority;
}
