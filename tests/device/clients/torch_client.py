"""PyTorch on Vulkan: operations on tensors and a small network, compared with its own processor path."""

import sys

import torch
import torch.nn.functional as nn

FAR = 1e-5
torch.manual_seed(3)


def values(*shape):
    return torch.rand(*shape) * 2 - 1


image, other, channels = values(1, 8, 20, 24), values(1, 8, 20, 24), values(1, 8, 1, 1)
wide, kernels, alone, turned = values(12, 8, 3, 3), values(6, 8, 1, 1), values(8, 1, 5, 5), values(8, 6, 3, 3)
bias = values(12)
# What each does, and to which tensors.
OPERATIONS = {
    "sum": (lambda a, b: a + b * 2.5 - a / (b + 3), image, other),
    "broadcast": (lambda a, b: a * b, image, channels),
    "powers": (lambda a: torch.pow(a.abs() + 0.5, 1.7) + torch.sqrt(a + 1.1) + torch.log(a + 1.1), image),
    "exponents": (lambda a: torch.exp(a) + torch.tanh(a * 20) + torch.sigmoid(a), image),
    "gelu": (lambda a: nn.gelu(a, approximate="tanh") + nn.hardswish(a * 5), image),
    "limits": (lambda a: a.clamp(-0.3, 0.4) + nn.leaky_relu(a, 0.1) + nn.relu6(a * 5), image),
    "pooling": (lambda a: nn.avg_pool2d(a, 3, 2, 1), image),
    "maximum": (lambda a: nn.max_pool2d(a, 2, 2), image),
    "adaptive": (lambda a: nn.adaptive_avg_pool2d(a, (5, 7)), image),
    "nearest": (lambda a: nn.interpolate(a, scale_factor=2, mode="nearest"), image),
    "bilinear": (lambda a: nn.interpolate(a, size=(31, 37), mode="bilinear", align_corners=True), image),
    "reflection": (lambda a: nn.pad(a, (2, 3, 1, 2), mode="reflect"), image),
    "softmax": (lambda a: nn.softmax(a, 1) + nn.log_softmax(a, 1), image),
    "mean": (lambda a: torch.mean(a, [2, 3]), image),
    "running sum": (lambda a: torch.cumsum(a, 1), image),
    "layers": (lambda a, b: torch.cat([a, b], 1).permute(0, 3, 1, 2).clone(), image, other),
    "parts": (lambda a: torch.flip(a[:, 2:7, 3:15:2, 1:20], [2]), image),
    "product": (torch.mm, values(24, 40), values(40, 16)),
    "products": (torch.bmm, values(3, 6, 8), values(3, 8, 5)),
    "convolution": (lambda a: nn.conv2d(a, wide, bias, 2, 1), image),
    "pointwise": (lambda a: nn.conv2d(a, kernels, bias[:6]), image),
    "by channel": (lambda a: nn.conv2d(a, alone, bias[:8], 1, 2, groups=8), image),
    "transposed": (lambda a: nn.conv_transpose2d(a, turned, bias[:6], 2, 1), image),
    "normalized": (lambda a: nn.layer_norm(a, [8, 20, 24], other[0], image[0]), image),
}


def network(a):
    a = nn.relu(nn.conv2d(a, wide, bias, 2, 1))
    a = nn.avg_pool2d(nn.conv2d(a, values_of["second"], bias, 1, 1), 2, 2)
    a = torch.sigmoid(torch.mean(a, [2, 3]))
    return nn.softmax(torch.mm(a, values_of["last"].to(a.device)), 1)


values_of = {"second": values(12, 12, 3, 3), "last": values(12, 10)}
OPERATIONS["network"] = (network, image)


def main():
    if not torch.is_vulkan_available():
        return "PyTorch finds no Vulkan"
    far = []
    for name, (operation, *tensors) in OPERATIONS.items():
        expected = operation(*tensors)
        found = operation(*(tensor.to("vulkan") for tensor in tensors)).cpu()
        error = ((found - expected).abs().max() / expected.abs().max()).item() if found.shape == expected.shape else 1
        print(f"{name}: {error:.1e}")
        if not error <= FAR:
            far.append(name)
    return f"far from the processor: {', '.join(far)}" if far else 0


with torch.inference_mode():
    sys.exit(main())
