package io.weir.insight;

/**
 * The requests of one caller for one rule, and its refusals, by slot.
 *
 * @param startMillis when the first slot began
 * @param endMillis when the last one ends
 * @param sinceMillis when its recording began
 * @param sampling one in how many decisions was noted, at the lowest sampling rate
 */
public record CallerHistory(
    CallerKey callerKey,
    long startMillis,
    long endMillis,
    long sinceMillis,
    int[] asked,
    int[] refused,
    int sampling) {}
