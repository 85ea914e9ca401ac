package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;

/** The receipt of a decision that took nothing, so there is nothing to give back. */
record EmptyReceipt(Decision decision) implements Buckets.Receipt {}
