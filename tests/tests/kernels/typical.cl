// Typical kernels; typical.spv is what clang 22 makes of them: clang -cl-std=CL3.0 -target spirv64 -O2 -c

kernel void add(global const float *a, global const float *b, global float *c, int n) {
    size_t i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void reduce(global const int *values, global int *sums, local int *shared) {
    size_t item = get_local_id(0);
    shared[item] = values[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = get_local_size(0) / 2; step > 0; step >>= 1) {
        if (item < step)
            shared[item] += shared[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = shared[0];
}

kernel void multiply(global const float *a, global const float *b, global float *c, int n) {
    local float of_a[8][8], of_b[8][8];
    int column = get_local_id(0), row = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int tile = 0; tile < n / 8; tile++) {
        of_a[row][column] = a[y * n + tile * 8 + column];
        of_b[row][column] = b[(tile * 8 + row) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += of_a[row][k] * of_b[k][column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

kernel void histogram(global const uchar *data, global uint *counts, int n) {
    local uint own[16];
    int item = get_local_id(0);
    if (item < 16)
        own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[data[i] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 16)
        atomic_add(&counts[item], own[item]);
}

struct body {
    float3 position;
    char kind;
    int link[3];
};

kernel void bodies(struct body one, global struct body *all) {
    size_t i = get_global_id(0);
    struct body other = all[i];
    other.position += one.position * other.kind;
    other.link[(i + 1) % 3] = one.link[i % 3];
    all[i] = other;
}

int at(int *pointer) { return *pointer; }

kernel void memories(global int *data, local int *shared) {
    size_t i = get_global_id(0);
    int own[24];
    for (int k = 0; k < 24; k++)
        own[k] = k * (int)i;
    shared[get_local_id(0)] = 1000 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *place = i % 3 == 0 ? (int *)&data[i] : i % 3 == 1 ? (int *)&shared[get_local_id(0)] : &own[data[i] % 24];
    data[i] = at(place) + own[(data[i] + 5) % 24];
}

kernel void scan(global const int *data, global int *sums) {
    size_t i = get_global_id(0);
    sums[i] = work_group_scan_inclusive_add(data[i]) + 10000 * work_group_any(data[i] > 60);
}

kernel void print(global const float *data) {
    size_t i = get_global_id(0);
    printf("%d: %.1f %s\n", (int)i, data[i], "units");
}
