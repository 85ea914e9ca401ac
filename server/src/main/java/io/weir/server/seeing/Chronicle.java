package io.weir.server.seeing;

/**
 * What one caller asked of a rule, and what was refused, slot by slot.
 *
 * @param startMillis when the first slot began
 * @param endMillis when the last one ends
 * @param sinceMillis when its recording began
 */
public record Chronicle(
    Key key, long startMillis, long endMillis, long sinceMillis, int[] asked, int[] refused) {}
