/* SPDX-License-Identifier: Apache-2.0 */
/* load_image.cu - loads the file that is named, as a file and from memory, runs
 * its kernel k(int *) and prints what that stored. For scripts that make such
 * files; exit status 1: a call failed. */
#include <cstdio>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <vector>

int
main(int, char **argv)
{
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    bytes.push_back(0); /* as text is passed */
    CUdevice device;
    CUcontext context;
    CUmodule module, again;
    CUfunction k;
    CUdeviceptr p;
    int v = 0;
    void *params[] = {&p};
    bool good = !cuInit(0) && !cuDeviceGet(&device, 0) &&
                !cuDevicePrimaryCtxRetain(&context, device) &&
                !cuCtxSetCurrent(context) && !cuModuleLoad(&again, argv[1]) &&
                !cuModuleLoadData(&module, bytes.data()) &&
                !cuModuleGetFunction(&k, module, "k") && !cuMemAlloc(&p, 4) &&
                !cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, 0, params, 0) &&
                !cuMemcpyDtoH(&v, p, 4);
    printf("%d\n", v);
    return !good;
}
