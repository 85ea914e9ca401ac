package io.weir.chaos;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The faults that a schedule can inject. */
enum InjectedFault {
  CALM(
      true,
      Needs.NOTHING,
      (testCluster, scheduledFault) -> scheduledFault.pause(scheduledFault.length())),
  NODE_KILLED(true, Needs.NOTHING, NodeFaults::kill),
  NODE_STOPPED(true, Needs.NOTHING, NodeFaults::stop),
  NODE_STOPPED_BRIEFLY(true, Needs.NOTHING, NodeFaults::stopBriefly),
  NODE_REPLACED(true, Needs.NOTHING, NodeFaults::replace),
  NODE_CUT_OFF(true, Needs.CUTS, NodeFaults::cutOff),
  NODE_UNHEARD(true, Needs.CUTS, NodeFaults::cutFrom),
  NODE_DEAF(true, Needs.CUTS, NodeFaults::cutTo),
  NODE_CLOCK_PUT_FORWARD(true, Needs.NOTHING, NodeFaults::putClockForward),
  NODE_CLOCK_PUT_BACK(true, Needs.NOTHING, NodeFaults::putClockBack),
  NODE_BACK_AT_A_WRONG_TIME(true, Needs.NOTHING, NodeFaults::comeBackAtAWrongTime),
  REPLICA_KILLED(true, Needs.NOTHING, ReplicaFaults::kill),
  REPLICA_STOPPED(true, Needs.NOTHING, ReplicaFaults::stop),
  REPLICA_CUT_OFF(true, Needs.CUTS, ReplicaFaults::cutOff),
  REPLICA_DEAF(true, Needs.CUTS, ReplicaFaults::cutTo),
  REPLICA_UNHEARD(true, Needs.CUTS, ReplicaFaults::cutFrom),
  SENTINEL_KILLED(true, Needs.NOTHING, SentinelFaults::kill),
  SENTINEL_CUT_OFF(true, Needs.CUTS, SentinelFaults::cutOff),
  PRIMARY_PAUSED(true, Needs.NOTHING, PrimaryFaults::pause),
  REDIS_CLOCK_PUT_BACK(true, Needs.CLOCKS, PrimaryFaults::putClockBack),
  REDIS_CLOCK_PUT_FORWARD(false, Needs.CLOCKS, PrimaryFaults::putClockForward),
  EVERY_CLOCK_PUT_FORWARD(false, Needs.CLOCKS, PrimaryFaults::putAllClocksForward),
  PRIMARY_KILLED(false, Needs.NOTHING, PrimaryFaults::kill),
  PRIMARY_KILLED_AHEAD(false, Needs.CUTS, PrimaryFaults::killAhead),
  PRIMARY_STOPPED(false, Needs.NOTHING, PrimaryFaults::stop),
  PRIMARY_KILLED_BEHIND_A_NODE(false, Needs.NOTHING, PrimaryFaults::killBehindANode),
  PRIMARY_STOPPED_WITH_A_NODE(false, Needs.NOTHING, PrimaryFaults::stopWithANode),
  PRIMARY_CUT_OFF(false, Needs.CUTS, PrimaryFaults::cutOff),
  PRIMARY_CUT_OFF_WITH_A_NODE(false, Needs.CUTS, PrimaryFaults::cutOffWithANode),
  PRIMARY_RESTARTED_EMPTY(false, Needs.NOTHING, PrimaryFaults::restartEmpty),
  PRIMARY_RESTARTED_OLD(false, Needs.NOTHING, PrimaryFaults::restartOld),
  PRIMARY_FLUSHED(false, Needs.NOTHING, PrimaryFaults::flush),

  // The faults of Aim, which are not drawn at random.
  LIMITS_MIXED(
      true,
      Needs.NOTHING,
      (testCluster, scheduledFault) -> scheduledFault.pause(scheduledFault.length()),
      true),
  ACKNOWLEDGEMENT_FORGED(false, Needs.NOTHING, TargetedFaults::forgeAcknowledgements, true),
  EVICTION_LEFT_ON(false, Needs.NOTHING, TargetedFaults::leaveEvictionOn, true),
  YOUNG_PROCESS_LOOKS_OLD(false, Needs.CLOCKS, TargetedFaults::lookOld, true),
  REDIS_CLOCK_FORTH_AND_BACK(false, Needs.CLOCKS, TargetedFaults::putClockForthAndBack, true),
  NEWCOMER_AT_A_STEP(false, Needs.CLOCKS, TargetedFaults::beginAtAStep, true),
  SAME_PROCESS_OTHER_HISTORY(false, Needs.NOTHING, TargetedFaults::changeHistory, true),
  NODE_STARTED_IN_AN_OUTAGE(true, Needs.NOTHING, TargetedFaults::startInAnOutage, true),
  DATA_LOST_UNDER_SKEWED_CLOCKS(
      false, Needs.NOTHING, TargetedFaults::forgetUnderSkewedClocks, true);

  private final boolean isAimed;
  private final boolean keepsData;
  private final Needs needs;
  private final Event event;

  /** Runs the fault; what it disturbed is restored afterwards, except clocks and saved data. */
  @FunctionalInterface
  interface Event {
    void happen(TestCluster testCluster, ScheduledFault scheduledFault) throws InterruptedException;
  }

  /** What the cluster must support. */
  enum Needs {
    NOTHING,
    CUTS,
    CLOCKS
  }

  InjectedFault(boolean keepsData, Needs needs, Event event) {
    this(keepsData, needs, event, false);
  }

  InjectedFault(boolean keepsData, Needs needs, Event event, boolean isAimed) {
    this.isAimed = isAimed;
    this.keepsData = keepsData;
    this.needs = needs;
    this.event = event;
  }

  /** The faults that a random schedule draws from. */
  static List<InjectedFault> random() {
    return Stream.of(values()).filter(injectedFault -> !injectedFault.isAimed).toList();
  }

  /**
   * Whether Redis still has all charges, and its clock is not ahead: the assumptions of {@code
   * exact} and {@code leased}.
   */
  boolean keepsData() {
    return keepsData;
  }

  /** Whether {@code strict} may have to refuse for a window although no data is lost. */
  boolean leavesDoubt() {
    return this == REDIS_CLOCK_PUT_BACK || this == NODE_BACK_AT_A_WRONG_TIME;
  }

  boolean isPossible(boolean cuts, boolean clocks) {
    return switch (needs) {
      case NOTHING -> true;
      case CUTS -> cuts;
      case CLOCKS -> clocks;
    };
  }

  void happen(TestCluster testCluster, ScheduledFault scheduledFault) throws InterruptedException {
    event.happen(testCluster, scheduledFault);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
