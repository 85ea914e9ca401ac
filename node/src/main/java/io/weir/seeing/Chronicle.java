package io.weir.seeing;

/**
 * What one caller asked of a rule, and what was refused, slot by slot.
 *
 * @param startMillis when the first slot began
 * @param endMillis when the last one ends
 * @param sinceMillis when its recording began
 * @param sampling one decision in how many was looked at, at the thinnest
 */
public record Chronicle(
    Key key,
    long startMillis,
    long endMillis,
    long sinceMillis,
    int[] asked,
    int[] refused,
    int sampling) {}
