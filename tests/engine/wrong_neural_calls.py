"""Wrong calls of layers, losses and activations, whose errors and warnings must be PyTorch's own, to the word."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

Calls = dict[str, Callable[[], Any]]


def _warned(call: Callable[[], Any]) -> Any:
    """The call with its warnings as errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()


def activations_and_losses(torch: Any) -> Calls:
    F = torch.nn.functional

    def ones(*shape: int) -> Any:
        return torch.ones(shape)

    whole = torch.tensor([[1, 2, 3], [4, 5, 6]])
    return {
        "leaky_relu_of_integers": lambda: F.leaky_relu(whole),
        "elu_of_integers": lambda: F.elu(whole),
        "selu_of_integers": lambda: F.selu(whole),
        "celu_of_integers": lambda: F.celu(whole),
        "gelu_of_integers": lambda: F.gelu(whole),
        "silu_of_integers": lambda: F.silu(whole),
        "mish_of_integers": lambda: F.mish(whole),
        "softplus_of_integers": lambda: F.softplus(whole),
        "logsigmoid_of_integers": lambda: F.logsigmoid(whole),
        "hardsigmoid_of_integers": lambda: F.hardsigmoid(whole),
        "hardswish_of_integers": lambda: F.hardswish(whole),
        "softshrink_of_integers": lambda: F.softshrink(whole),
        "hardshrink_of_integers": lambda: F.hardshrink(whole),
        "normalize_of_integers": lambda: F.normalize(whole),
        "loss_glu_odd": lambda: F.glu(ones(2, 3)),
        "loss_glu0": lambda: F.glu(torch.tensor(1.0)),
        "loss_prelu2": lambda: F.prelu(ones(2, 3), ones(2)),
        "loss_prelu_mat": lambda: F.prelu(ones(2, 3), ones(2, 1)),
        "loss_prelu_1d": lambda: F.prelu(ones(3), ones(3)),
        "loss_dropout_p": lambda: F.dropout(ones(2), 1.5),
        "loss_dropout": lambda: F.dropout(ones(2), -1),
        "loss_dropout_int": lambda: F.dropout(whole, 0.5),
        "loss_drop2d": lambda: _warned(lambda: F.dropout2d(ones(2, 3))),
        "loss_drop1d": lambda: F.dropout1d(ones(3)),
        "loss_drop2d3": lambda: _warned(lambda: F.dropout2d(ones(2, 3, 4))),
        "loss_alpha_p": lambda: F.alpha_dropout(ones(2), 1.5),
        "loss_gelu_approx": lambda: F.gelu(ones(2), approximate="x"),
        "loss_hardtanh_bad": lambda: F.hardtanh(ones(2), 1, -1),
        "loss_softshrink_neg": lambda: F.softshrink(ones(2), -1),
        "loss_mse_shape": lambda: _warned(lambda: F.mse_loss(ones(2, 1), ones(2))),
        "loss_mse_bad": lambda: F.mse_loss(ones(2, 3), ones(2)),
        "loss_mse_red": lambda: F.mse_loss(ones(2), ones(2), reduction="x"),
        "loss_mse_int": lambda: F.mse_loss(whole, whole),
        "loss_mse_legacy": lambda: _warned(lambda: F.mse_loss(ones(2), ones(2), size_average=False)),
        "loss_mse_legacy2": lambda: _warned(lambda: F.mse_loss(ones(2), ones(2), reduce=False)),
        "loss_l1_shape": lambda: _warned(lambda: F.l1_loss(ones(2, 1), ones(2))),
        "loss_sl1_shape": lambda: _warned(lambda: F.smooth_l1_loss(ones(2, 1), ones(2))),
        "loss_huber_shape": lambda: _warned(lambda: F.huber_loss(ones(2, 1), ones(2))),
        "loss_sl1_beta": lambda: F.smooth_l1_loss(ones(2), ones(2), beta=-1),
        "loss_huber_delta": lambda: F.huber_loss(ones(2), ones(2), delta=0.0),
        "loss_l1_int": lambda: F.l1_loss(whole, whole),
        "loss_mse_num": lambda: F.mse_loss(ones(2), 1.0),
        "loss_mse_none": lambda: F.mse_loss(None, ones(2)),
        "loss_bce_shape": lambda: F.binary_cross_entropy(ones(2, 1), ones(2)),
        "loss_bce_range": lambda: F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0])),
        "loss_bce_trange": lambda: F.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([2.0])),
        "loss_bce_int_t": lambda: F.binary_cross_entropy(ones(2, 3), whole % 2),
        "loss_bce_w": lambda: F.binary_cross_entropy(ones(2, 3), ones(2, 3), ones(2)),
        "loss_bcel_shape": lambda: F.binary_cross_entropy_with_logits(ones(2, 1), ones(2)),
        "loss_bcel_int": lambda: F.binary_cross_entropy_with_logits(ones(2, 3), whole),
        "loss_bcel_int_in": lambda: F.binary_cross_entropy_with_logits(whole, whole),
        "loss_ce_batch": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 2, 0])),
        "loss_ce_range": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 3])),
        "loss_ce_neg": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, -1])),
        "loss_ce_float": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1.0, 2.0])),
        "loss_ce_int32": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 2]).int()),
        "loss_ce_int": lambda: F.cross_entropy(whole, torch.tensor([1, 2])),
        "loss_ce_weight": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 2]), weight=ones(2)),
        "loss_ce_2dtarget": lambda: F.cross_entropy(ones(2, 3), torch.tensor([[1], [2]])),
        "loss_ce_soft_int": lambda: F.cross_entropy(ones(2, 3), whole),
        "loss_ce_ls": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 2]), label_smoothing=2.0),
        "loss_ce_bool": lambda: F.cross_entropy(ones(2, 3), torch.tensor([True, False])),
        "loss_ce_dt_w": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 2]), weight=ones(3).double()),
        "loss_ce_ign_prob": lambda: F.cross_entropy(ones(2, 3), ones(2, 3), ignore_index=1),
        "loss_ce_reduction": lambda: F.cross_entropy(ones(2, 3), torch.tensor([1, 2]), reduction="x"),
        "loss_ce_0d": lambda: F.cross_entropy(torch.tensor(1.0), torch.tensor(0)),
        "loss_ce_2d_sp": lambda: F.cross_entropy(ones(2, 3, 4), torch.zeros(2, 5).long()),
        "loss_ce_4d_sp": lambda: F.cross_entropy(ones(2, 3, 4, 4), torch.zeros(2, 4, 5).long()),
        "loss_ce_4d_dim": lambda: F.cross_entropy(ones(2, 3, 4, 4), torch.zeros(2, 4).long()),
        "loss_nll_3_d4range": lambda: F.nll_loss(ones(1, 3, 2, 2), torch.full((1, 2, 2), 7)),
        "loss_nll_batch": lambda: F.nll_loss(ones(2, 3), torch.tensor([1, 2, 0])),
        "loss_nll_2t": lambda: F.nll_loss(ones(2, 3), torch.tensor([[1], [2]])),
        "loss_nll_float": lambda: F.nll_loss(ones(2, 3), ones(2)),
        "loss_nll_0d": lambda: F.nll_loss(torch.tensor(1.0), torch.tensor(0)),
        "loss_nll_w": lambda: F.nll_loss(ones(2, 3), torch.tensor([1, 2]), weight=ones(2)),
        "loss_kl_mean": lambda: _warned(lambda: F.kl_div(ones(2, 3), ones(2, 3))),
        "loss_kl_red": lambda: F.kl_div(ones(2, 3), ones(2, 3), reduction="x"),
        "loss_marg": lambda: F.margin_ranking_loss(ones(2), ones(3), ones(2)),
        "loss_marg2": lambda: F.margin_ranking_loss(ones(2, 1), ones(2), ones(2)),
        "loss_cosemb": lambda: F.cosine_embedding_loss(ones(2, 3), ones(2, 3), ones(2, 3)),
        "loss_cosemb2": lambda: F.cosine_embedding_loss(ones(3), ones(3), ones(2)),
        "loss_cosemb3": lambda: F.cosine_embedding_loss(ones(2, 3), ones(3, 3), ones(2)),
        "loss_trip": lambda: F.triplet_margin_loss(ones(2, 3), ones(2), ones(2, 3)),
        "loss_trip2": lambda: F.triplet_margin_loss(ones(2, 3), ones(2, 3), ones(2, 3), margin=-1),
        "loss_gnll": lambda: F.gaussian_nll_loss(ones(2), ones(2), -ones(2)),
        "loss_gnll2": lambda: F.gaussian_nll_loss(ones(2, 3), ones(2, 3), ones(4)),
        "loss_gnll3": lambda: F.gaussian_nll_loss(ones(2), ones(3), ones(2)),
        "loss_mm": lambda: F.multi_margin_loss(ones(2, 3), torch.tensor([1, 2, 0])),
        "loss_mm_p": lambda: F.multi_margin_loss(ones(2, 3), torch.tensor([1, 2]), p=3),
        "loss_mm_r": lambda: F.multi_margin_loss(ones(2, 3), torch.tensor([1, 5])),
        "loss_soft": lambda: F.soft_margin_loss(ones(2), ones(3)),
        "loss_pois": lambda: F.poisson_nll_loss(ones(2), ones(3)),
        "loss_pois_r": lambda: F.poisson_nll_loss(ones(2), ones(2), reduction="x"),
        "loss_hinge": lambda: F.hinge_embedding_loss(ones(2), ones(3)),
        "loss_onehot_n": lambda: F.one_hot(torch.tensor([0, 2]), 2),
        "loss_onehot_neg": lambda: F.one_hot(torch.tensor([0, -2])),
        "loss_onehot_f": lambda: F.one_hot(ones(2)),
        "loss_onehot_e": lambda: F.one_hot(torch.zeros(0).long()),
    }


def layers(torch: Any) -> Calls:
    F = torch.nn.functional

    def ones(*shape: int) -> Any:
        return torch.ones(shape)

    whole = torch.tensor([[1, 2, 3], [4, 5, 6]])
    return {
        "layer_emb_range": lambda: F.embedding(torch.tensor([0, 5]), ones(4, 3)),
        "layer_emb_float": lambda: F.embedding(ones(2), ones(4, 3)),
        "layer_emb_1d": lambda: F.embedding(torch.tensor([0]), ones(4)),
        "layer_emb_pad": lambda: F.embedding(torch.tensor([0]), ones(4, 3), padding_idx=7),
        "layer_emb_neg": lambda: F.embedding(torch.tensor([-1]), ones(4, 3)),
        "layer_emb_swapped": lambda: F.embedding(ones(4, 3), torch.tensor([1])),
        "layer_ln_shape": lambda: F.layer_norm(ones(2, 3), (4,)),
        "layer_ln_w": lambda: F.layer_norm(ones(2, 3), (3,), ones(2)),
        "layer_ln_int": lambda: F.layer_norm(whole, (3,)),
        "layer_ln": lambda: F.layer_norm(ones(2, 3), ()),
        "layer_ln_b": lambda: F.layer_norm(ones(2, 3), (3,), ones(3), ones(2)),
        "layer_ln_nint": lambda: F.layer_norm(ones(2, 3), 3),
        "layer_ln_dt": lambda: F.layer_norm(ones(2, 3), (3,), ones(3).double()),
        "layer_bn_1": lambda: F.batch_norm(ones(1, 3), None, None, training=True),
        "layer_bn_size": lambda: F.batch_norm(ones(2, 3), torch.zeros(2), torch.zeros(2)),
        "layer_bn_none": lambda: F.batch_norm(ones(2, 3), None, None),
        "layer_bn_w": lambda: F.batch_norm(ones(2, 3), torch.zeros(3), torch.zeros(3), ones(2)),
        "layer_bn_1d": lambda: F.batch_norm(ones(3), torch.zeros(3), torch.zeros(3)),
        "layer_bn_int": lambda: F.batch_norm(whole, torch.zeros(3), torch.zeros(3)),
        "layer_bn_dt": lambda: F.batch_norm(ones(2, 3).double(), torch.zeros(3), torch.zeros(3)),
        "layer_gn_div": lambda: F.group_norm(ones(2, 3), 2),
        "layer_gn_1": lambda: F.group_norm(ones(1, 2), 2),
        "layer_gn_w": lambda: F.group_norm(ones(2, 4), 2, ones(3)),
        "layer_gn_1d": lambda: F.group_norm(ones(4), 2),
        "layer_in_1": lambda: F.instance_norm(ones(2, 3, 1)),
        "layer_in_2d": lambda: F.instance_norm(ones(2, 3)),
        "layer_in_none": lambda: F.instance_norm(ones(2, 3, 4), use_input_stats=False),
        "layer_rms_shape": lambda: F.rms_norm(ones(2, 3), (4,)),
        "layer_c2_ch": lambda: F.conv2d(ones(1, 3, 4, 4), ones(2, 2, 3, 3)),
        "layer_c2_dim": lambda: F.conv2d(ones(4, 4), ones(2, 2, 3, 3)),
        "layer_c2_5d": lambda: F.conv2d(ones(1, 2, 3, 4, 4), ones(2, 2, 3, 3)),
        "layer_c2_small": lambda: F.conv2d(ones(1, 2, 2, 2), ones(2, 2, 3, 3)),
        "layer_c2_bias": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), ones(3)),
        "layer_c2_groups": lambda: F.conv2d(ones(1, 3, 4, 4), ones(2, 1, 3, 3), groups=2),
        "layer_c2_groups3": lambda: F.conv2d(ones(1, 3, 4, 4), ones(2, 1, 3, 3), groups=3),
        "layer_c2_stride0": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), stride=0),
        "layer_c2_neg_pad": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), padding=-1),
        "layer_c2_dil0": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), dilation=0),
        "layer_c2_dt": lambda: F.conv2d(ones(1, 2, 4, 4).double(), ones(2, 2, 3, 3)),
        "layer_c2_int": lambda: F.conv2d(ones(1, 2, 4, 4).long(), ones(2, 2, 3, 3)),
        "layer_c2_same_stride": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), padding="same", stride=2),
        "layer_c2_padstr": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), padding="x"),
        "layer_c2_w_dim": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3)),
        "layer_c2_stride3": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), stride=(1, 2, 3)),
        "layer_c2_bias_dt": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), ones(2).double()),
        "layer_c2_g0": lambda: F.conv2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), groups=0),
        "layer_c2_unb_ch": lambda: F.conv2d(ones(3, 4, 4), ones(2, 2, 3, 3)),
        "layer_c1_dim": lambda: F.conv1d(ones(4), ones(2, 2, 3)),
        "layer_c1_4d": lambda: F.conv1d(ones(1, 2, 4, 4), ones(2, 2, 3)),
        "layer_c1_ch": lambda: F.conv1d(ones(1, 3, 4), ones(2, 2, 3)),
        "layer_c1_small": lambda: F.conv1d(ones(1, 2, 2), ones(2, 2, 3)),
        "layer_c2_pad_small": lambda: F.conv2d(ones(1, 2, 1, 1), ones(2, 2, 4, 4), padding=1),
        "layer_ct_ch": lambda: F.conv_transpose2d(ones(1, 3, 4, 4), ones(2, 2, 3, 3)),
        "layer_ct_opad": lambda: F.conv_transpose2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), output_padding=1),
        "layer_ct_dim": lambda: F.conv_transpose2d(ones(4, 4), ones(2, 2, 3, 3)),
        "layer_ct_bias": lambda: F.conv_transpose2d(ones(1, 2, 4, 4), ones(2, 2, 3, 3), ones(3)),
        "layer_mp_dim": lambda: F.max_pool2d(ones(4, 4), 2),
        "layer_mp_small": lambda: F.max_pool2d(ones(1, 1, 2, 2), 3),
        "layer_mp_pad": lambda: F.max_pool2d(ones(1, 1, 4, 4), 2, padding=2),
        "layer_mp_stride": lambda: F.max_pool2d(ones(1, 1, 4, 4), 2, stride=0),
        "layer_mp_dil": lambda: F.max_pool2d(ones(1, 1, 4, 4), 2, dilation=0),
        "layer_mp_k3": lambda: F.max_pool2d(ones(1, 1, 4, 4), (2, 2, 2)),
        "layer_mp1_dim": lambda: F.max_pool1d(ones(4), 2),
        "layer_mp1_small": lambda: F.max_pool1d(ones(1, 1, 2), 3),
        "layer_mp1_pad": lambda: F.max_pool1d(ones(1, 1, 4), 2, padding=2),
        "layer_mp1_4d": lambda: F.max_pool1d(ones(1, 1, 4, 4), 2),
        "layer_mp3_dim": lambda: F.max_pool3d(ones(4, 4), 2),
        "layer_mp_k0": lambda: F.max_pool2d(ones(1, 1, 4, 4), 0),
        "layer_mp_negpad": lambda: F.max_pool2d(ones(1, 1, 4, 4), 2, padding=-1),
        "layer_mp_padfrac": lambda: F.max_pool2d(ones(1, 1, 4, 4), 3, padding=2),
        "layer_mp_bool": lambda: F.max_pool2d(ones(1, 1, 4, 4).bool(), 2),
        "layer_ap_dim": lambda: F.avg_pool2d(ones(4, 4), 2),
        "layer_ap_small": lambda: F.avg_pool2d(ones(1, 1, 2, 2), 3),
        "layer_ap_pad": lambda: F.avg_pool2d(ones(1, 1, 4, 4), 2, padding=2),
        "layer_ap1_dim": lambda: F.avg_pool1d(ones(4), 2),
        "layer_ap_div0": lambda: F.avg_pool2d(ones(1, 1, 4, 4), 2, divisor_override=0),
        "layer_aap_dim": lambda: F.adaptive_avg_pool2d(ones(4, 4), 2),
        "layer_aap1_dim": lambda: F.adaptive_avg_pool1d(ones(4), 2),
        "layer_aap_size": lambda: F.adaptive_avg_pool2d(ones(1, 1, 4, 4), (2, 2, 2)),
        "layer_aap_int": lambda: F.adaptive_avg_pool2d(ones(1, 1, 4, 4).long(), 2),
        "layer_amp_dim": lambda: F.adaptive_max_pool2d(ones(4, 4), 2),
        "layer_aap_neg": lambda: F.adaptive_avg_pool2d(ones(1, 1, 4, 4), -1),
        "layer_unfold_dim": lambda: F.unfold(ones(4, 4), 2),
        "layer_unfold_small": lambda: F.unfold(ones(1, 1, 2, 2), 3),
        "layer_fold_dim": lambda: F.fold(ones(1, 7, 9), (4, 4), 2),
        "layer_fold_L": lambda: F.fold(ones(1, 8, 8), (4, 4), 2),
        "layer_pad_len": lambda: F.pad(ones(2, 3), (1,)),
        "layer_pad_many": lambda: F.pad(ones(3), (1, 1, 1, 1)),
        "layer_pad_refl_big": lambda: F.pad(ones(1, 2, 3), (3, 3), mode="reflect"),
        "layer_pad_mode": lambda: F.pad(ones(1, 2, 3), (1, 1), mode="x"),
        "layer_pad_refl_dim": lambda: F.pad(ones(3), (1, 1), mode="reflect"),
        "layer_pad_circ_big": lambda: F.pad(ones(1, 2, 3), (4, 4), mode="circular"),
        "layer_pad_neg": lambda: F.pad(ones(2, 3), (-2, -2)),
        "layer_pad_value_mode": lambda: F.pad(ones(1, 2, 3), (1, 1), mode="reflect", value=1.0),
        "layer_pad_circ_dim": lambda: F.pad(ones(3), (1, 1), mode="circular"),
        "layer_pad_rep_dim": lambda: F.pad(ones(2, 3), (1, 1, 1, 1), mode="replicate"),
        "layer_pad_4refl_on_2": lambda: F.pad(ones(1, 1, 4), (1, 1, 1, 1), mode="reflect"),
        "layer_sdpa_dim": lambda: F.scaled_dot_product_attention(ones(2, 3), ones(2, 4), ones(2, 3)),
        "layer_sdpa_both": lambda: F.scaled_dot_product_attention(
            ones(1, 2, 3), ones(1, 2, 3), ones(1, 2, 3), attn_mask=torch.zeros(2, 2), is_causal=True
        ),
        "layer_sdpa_dt": lambda: F.scaled_dot_product_attention(ones(1, 2, 3), ones(1, 2, 3).double(), ones(1, 2, 3)),
        "layer_sdpa_1d": lambda: F.scaled_dot_product_attention(ones(3), ones(3), ones(3)),
        "layer_sdpa_mask_int": lambda: F.scaled_dot_product_attention(
            ones(1, 2, 3), ones(1, 2, 3), ones(1, 2, 3), attn_mask=torch.zeros(2, 2).long()
        ),
        "layer_sdpa_mask_shape": lambda: F.scaled_dot_product_attention(
            ones(1, 2, 3), ones(1, 2, 3), ones(1, 2, 3), attn_mask=torch.zeros(3, 3)
        ),
        "layer_interp_both": lambda: F.interpolate(ones(1, 1, 2, 2), size=4, scale_factor=2),
        "layer_interp_none": lambda: F.interpolate(ones(1, 1, 2, 2)),
        "layer_interp_mode": lambda: F.interpolate(ones(1, 1, 2, 2), size=4, mode="x"),
        "layer_interp_lin_4": lambda: F.interpolate(ones(1, 1, 2, 2), size=4, mode="linear"),
        "layer_interp_bil_3": lambda: F.interpolate(ones(1, 1, 2), size=4, mode="bilinear"),
        "layer_interp_align": lambda: F.interpolate(ones(1, 1, 2, 2), size=4, align_corners=True),
        "layer_interp_dim2": lambda: F.interpolate(ones(2, 2), size=4),
        "layer_interp_size_len": lambda: F.interpolate(ones(1, 1, 2, 2), size=(4, 4, 4)),
        "layer_interp_sc_len": lambda: F.interpolate(ones(1, 1, 2, 2), scale_factor=(4, 4, 4)),
        "layer_pixsh": lambda: F.pixel_shuffle(ones(1, 3, 2, 2), 2),
        "layer_pixsh_dim": lambda: F.pixel_shuffle(ones(2, 2), 2),
        "layer_pixun": lambda: F.pixel_unshuffle(ones(1, 1, 3, 3), 2),
        "layer_bil": lambda: F.bilinear(ones(2, 2), ones(2, 3), ones(2, 3, 3)),
        "layer_lin_in": lambda: F.linear(ones(2, 3), ones(4, 2), ones(4)),
        "layer_ups": lambda: _warned(lambda: F.upsample(ones(1, 1, 2, 2), scale_factor=2).shape),
        "layer_chshuf": lambda: F.channel_shuffle(ones(1, 3, 2, 2), 2),
    }


def pools(torch: Any) -> Calls:
    F = torch.nn.functional

    def zeros(*shape: int) -> Any:
        return torch.zeros(shape)

    found: Calls = {}
    for n, shape in ((1, (1, 2, 8)), (2, (1, 2, 8, 8)), (3, (1, 2, 8, 8, 8))):
        x = zeros(*shape)
        for kind in ("max", "avg"):
            pool = getattr(F, f"{kind}_pool{n}d")
            adaptive = getattr(F, f"adaptive_{kind}_pool{n}d")
            wide, narrow = (2,) * (n + 1), (2,) * (n - 1)
            calls: list[Callable[[], Any]] = [
                lambda pool=pool, x=x, wide=wide: pool(x, wide),
                lambda pool=pool, x=x, wide=wide: pool(x, 2, wide),
                lambda pool=pool, x=x, wide=wide: pool(x, 2, 2, wide),
                lambda pool=pool, x=x: pool(x, 2, padding=3),
                lambda pool=pool, x=x: pool(x, 2, padding=-1),
                lambda pool=pool, x=x: pool(x, 9),
                lambda pool=pool, x=x: pool(x[0, 0], 2),
                lambda pool=pool, x=x: pool(x[:, :0], 2),
                lambda adaptive=adaptive, x=x: adaptive(x, ()),
                lambda adaptive=adaptive, x=x, wide=wide: adaptive(x[None], wide),
                lambda adaptive=adaptive, x=x: adaptive(x, -1),
                lambda adaptive=adaptive, x=x: adaptive(x[0, 0], 1),
                lambda adaptive=adaptive, x=x: adaptive(x[..., :0], 2),
                lambda adaptive=adaptive, x=x: adaptive(x.long(), 2),
            ]
            if n > 1:
                calls.append(lambda pool=pool, x=x, narrow=narrow: pool(x, narrow * 3))
                calls.append(lambda pool=pool, x=x: pool(x, -1))
                calls.append(lambda pool=pool, x=x: pool(x, 2, -1))
            if kind == "max":
                calls.append(lambda pool=pool, x=x: pool(x, 2, dilation=0))
                calls.append(lambda pool=pool, x=x: pool(x.bool(), 2))
            found.update({f"pool_{kind}{n}d_{i}": call for i, call in enumerate(calls)})
        unpool = getattr(F, f"max_unpool{n}d")
        found[f"unpool{n}d"] = lambda unpool=unpool, x=x: unpool(x, x.long()[..., :7], 2)
        fractional = getattr(F, f"fractional_max_pool{n}d", None)
        if fractional is not None:
            found[f"fractional{n}d_none"] = lambda f=fractional, x=x: f(x, 2)
            found[f"fractional{n}d_large"] = lambda f=fractional, x=x: f(x, 3, output_size=7)
            found[f"fractional{n}d_empty"] = lambda f=fractional, x=x: f(x[..., :0], 2, output_size=1)
    return found


def samples_and_sequences(torch: Any) -> Calls:
    F, rnn = torch.nn.functional, torch.nn.utils.rnn
    x, grid = torch.zeros(1, 1, 3, 3), torch.zeros(1, 2, 2, 2)
    long = torch.zeros(3, 2, 2)
    vectors = torch.zeros(4, 3)
    return {
        "grid_sample_batch": lambda: F.grid_sample(x, grid.repeat(2, 1, 1, 1), align_corners=False),
        "grid_sample_last": lambda: F.grid_sample(x, torch.zeros(1, 2, 2, 3), align_corners=False),
        "grid_sample_type": lambda: F.grid_sample(x, grid.double(), align_corners=False),
        "grid_sample_long": lambda: F.grid_sample(x.long(), grid.long(), align_corners=False),
        "grid_sample_mode": lambda: F.grid_sample(x, grid, "linear"),
        "grid_sample_padding": lambda: F.grid_sample(x, grid, padding_mode="wrap"),
        "grid_sample_empty": lambda: F.grid_sample(x[:, :, :0], grid, align_corners=False),
        "grid_sample_default": lambda: _warned(lambda: F.grid_sample(x, grid)),
        "affine_grid_default": lambda: _warned(lambda: F.affine_grid(torch.zeros(1, 2, 3), (1, 1, 2, 2))),
        "affine_grid_shape": lambda: F.affine_grid(torch.zeros(1, 2, 2), (1, 1, 2, 2), align_corners=False),
        "affine_grid_size": lambda: F.affine_grid(torch.zeros(1, 2, 3), (1, 1, 2), align_corners=False),
        "affine_grid_empty": lambda: F.affine_grid(torch.zeros(1, 2, 3), (1, 1, 0, 2), align_corners=False),
        "pack_count": lambda: rnn.pack_padded_sequence(long, [3]),
        "pack_order": lambda: rnn.pack_padded_sequence(long, [2, 3]),
        "pack_zero": lambda: rnn.pack_padded_sequence(long, [3, 0]),
        "pack_empty": lambda: rnn.pack_padded_sequence(long[:0], [3, 2]),
        "pack_matrix": lambda: rnn.pack_padded_sequence(long, torch.tensor([[3, 2]])),
        "pad_nothing": lambda: rnn.pad_sequence([]),
        "pad_number": lambda: rnn.pad_sequence(5),
        "pad_widths": lambda: rnn.pad_sequence([torch.zeros(2, 3), torch.zeros(2, 2)]),
        "pad_side": lambda: rnn.pad_sequence([torch.zeros(2)], padding_side="middle"),
        "pad_packed_short": lambda: rnn.pad_packed_sequence(rnn.pack_padded_sequence(long, [3, 2]), total_length=2),
        "rnn_hidden_size": lambda: torch.nn.GRU(2, 3)(long, torch.zeros(1, 1, 3)),
        "rnn_hidden_dim": lambda: torch.nn.LSTM(2, 3)(long, (torch.zeros(2, 3), torch.zeros(2, 3))),
        "rnn_type": lambda: torch.nn.RNN(2, 3)(long.double()),
        "rnn_projection": lambda: torch.nn.GRU(2, 3, proj_size=2),
        "lstm_projection": lambda: torch.nn.LSTM(2, 3, proj_size=3),
        "rnn_dropout": lambda: _warned(lambda: torch.nn.GRU(2, 3, dropout=0.5)),
        "rnn_layers": lambda: torch.nn.GRU(2, 3, 0),
        "mha_heads": lambda: torch.nn.MultiheadAttention(4, 3),
        "mha_mask_shape": lambda: torch.nn.MultiheadAttention(4, 2)(
            *[torch.zeros(3, 1, 4)] * 3, attn_mask=torch.zeros(2, 3)
        ),
        "mha_padding_shape": lambda: torch.nn.MultiheadAttention(4, 2)(
            *[torch.zeros(3, 1, 4)] * 3, key_padding_mask=torch.zeros(1, 2)
        ),
        "mha_width": lambda: torch.nn.MultiheadAttention(4, 2)(*[torch.zeros(3, 1, 2)] * 3),
        "mha_causal": lambda: torch.nn.MultiheadAttention(4, 2)(*[torch.zeros(3, 1, 4)] * 3, is_causal=True),
        "transformer_batch": lambda: torch.nn.Transformer(4, 2, 1, 1, 4)(torch.zeros(3, 1, 4), torch.zeros(3, 2, 4)),
        "transformer_width": lambda: torch.nn.Transformer(4, 2, 1, 1, 4)(torch.zeros(3, 1, 4), torch.zeros(3, 1, 2)),
        "pdist_vector": lambda: F.pdist(vectors[0]),
        "pdist_negative": lambda: F.pdist(vectors, -1),
        "pdist_integers": lambda: F.pdist(vectors.long()),
        "conv_weight_vector": lambda: F.conv1d(torch.zeros(1, 1, 4), torch.zeros(1, 2)),
        "conv_weight_dim": lambda: F.conv2d(torch.zeros(1, 1, 4, 3), torch.zeros(1, 2, 2)),
        "conv_dilation": lambda: F.conv2d(torch.zeros(1, 1, 4, 3), torch.zeros(1, 1, 2, 2), dilation=-1),
        "linear_cross_entropy_dim": lambda: F.linear_cross_entropy(x, vectors, torch.tensor([1])),
        "linear_cross_entropy_width": lambda: F.linear_cross_entropy(vectors, torch.zeros(2, 2), torch.tensor([1])),
        "rms_norm_weight": lambda: F.rms_norm(vectors, (3,), torch.zeros(2)),
        "multilabel_margin_range": lambda: F.multilabel_margin_loss(vectors, torch.full((4, 3), 4)),
        "multi_margin_float": lambda: F.multi_margin_loss(vectors, torch.zeros(4)),
    }


NEURAL_CALLS = (activations_and_losses, layers, pools, samples_and_sequences)
