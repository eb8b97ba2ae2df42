/* SPDX-License-Identifier: Apache-2.0 */
/* logs.c - the driver's messages. */
#include "api/cudart/cudart.h"

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                         cudaLogsCallbackHandle *callback_out)
{
    return sw_rta_done(cuLogsRegisterCallback((CUlogsCallback)callbackFunc,
                                              userData, callback_out));
}

cudaError_t
cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback)
{
    return sw_rta_done(cuLogsUnregisterCallback(callback));
}

cudaError_t
cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags)
{
    return sw_rta_done(cuLogsCurrent(iterator_out, flags));
}

cudaError_t
cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                   unsigned int flags)
{
    return sw_rta_done(cuLogsDumpToFile(iterator, pathToFile, flags));
}

cudaError_t
cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                     unsigned int flags)
{
    return sw_rta_done(cuLogsDumpToMemory(iterator, buffer, size, flags));
}
#endif
