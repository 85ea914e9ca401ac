package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be believed of a primary, in virtual time. */
class DataIntegrityTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long START = 1_790_000_000_000_000L;
  private static final long TRIP = 200_000;
  private static final long MAX_TRIP = Duration.ofMillis(100).toNanos();

  private long nanos = 77; // ours
  private long redisMicros = START;
  private long wallMicros = START;
  private long era = 5;
  private long evicted;
  private String policy = "noeviction";
  private final long offset = 100;
  private long markedMicros = START - 3600L * 1_000_000;
  private final List<String> warnings = new ArrayList<>();
  private DataIntegrity dataIntegrity = soundness(1);

  private DataIntegrity soundness(int replicas) {
    return new DataIntegrity(() -> nanos, () -> wallMicros, replicas, MAX_TRIP, warnings::add);
  }

  /** One that is known for long. */
  @BeforeEach
  void old() {
    meet("a", 3600);
    warmUp();
  }

  private void warmUp() {
    hear();
    pass(Duration.ofNanos(DataIntegrity.HOLD_NANOS));
  }

  private void meet(String run, long uptime) {
    meet(run, uptime, "h");
  }

  private void meet(String run, long uptime, String history) {
    dataIntegrity.met(report("noeviction", run, uptime, 1));
    copied(history, offset, offset);
  }

  private static ServerReport report(String policy, String run, long uptime, long replicas) {
    return new ServerReport("redis", "7", 0, policy, run, uptime, replicas);
  }

  /** A history of two letters has taken over from that of the second. */
  private void copied(String history, long end, long now) {
    String former = history.length() > 1 ? history.substring(1) : "0";
    ReplicationInfo replicationInfo =
        new ReplicationInfo(false, history, former, end + 1, now, List.of());
    dataIntegrity.copied(dataIntegrity.history(), now, replicationInfo, false);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    redisMicros += time.toNanos() / 1000;
    wallMicros += time.toNanos() / 1000;
  }

  /** One exchange, in whose midst Redis looks at its clock; as era.lua does. */
  private boolean hear() {
    long sent = nanos;
    long age = dataIntegrity.ageMicros();
    pass(Duration.ofNanos(TRIP / 2));
    long micros = redisMicros;
    if (micros - age > markedMicros + 1_000_000) {
      markedMicros = micros - age;
    }
    pass(Duration.ofNanos(TRIP / 2));
    return dataIntegrity.heard(sent, look(micros), micros);
  }

  private DataIntegrity.ProbeResult look(long micros) {
    return new DataIntegrity.ProbeResult(era, markedMicros, micros, evicted, policy);
  }

  private void assertSound() {
    assertThat(dataIntegrity.obstacle(MINUTE)).isNull();
    assertThat(dataIntegrity.leftNanos(MINUTE)).isZero();
  }

  /** From now on for a minute, less what has passed since the doubt came up. */
  private void assertDoubtful(String why) {
    RedisFailure doubt = dataIntegrity.obstacle(MINUTE);
    assertThat(doubt).isNotNull();
    assertThat(doubt.kind()).isEqualTo(RedisFailure.Kind.DOUBTFUL);
    assertThat(doubt.message()).contains(why);
    for (int i = 0; i < 59; i++) {
      pass(Duration.ofSeconds(1));
      hear();
      assertThat(dataIntegrity.obstacle(MINUTE)).isNotNull();
    }
    pass(Duration.ofNanos(dataIntegrity.leftNanos(MINUTE)).minusNanos(1));
    assertThat(dataIntegrity.obstacle(MINUTE)).isNotNull();
    pass(Duration.ofNanos(1));
    assertSound();
  }

  /** One that starts now has seen nothing of it. */
  private void assertMarkHasTheDoubt() {
    hear();
    DataIntegrity newcomer = soundness(1);
    newcomer.met(report("noeviction", "z", 3600, 1));
    newcomer.heard(nanos, look(redisMicros), 0);
    assertThat(newcomer.obstacle(MINUTE)).as("others are to know").isNotNull();
  }

  @Test
  void grantsNothingBeforeTheFirstReport() {
    dataIntegrity = soundness(1);
    assertThat(dataIntegrity.obstacle(1)).isNotNull();
    assertThat(dataIntegrity.leftNanos(MINUTE)).isEqualTo(MINUTE);
  }

  @Test
  void acceptsOldDataAfterOtherNodesCouldReportLoss() {
    dataIntegrity = soundness(1);
    dataIntegrity.met(report("noeviction", "a", 3600, 1));
    hear();
    assertThat(dataIntegrity.leftNanos(MINUTE)).isEqualTo(DataIntegrity.HOLD_NANOS);
    assertThat(dataIntegrity.leftNanos(1)).as("of any limit").isEqualTo(DataIntegrity.HOLD_NANOS);
    pass(Duration.ofNanos(DataIntegrity.HOLD_NANOS - 1));
    assertThat(dataIntegrity.obstacle(MINUTE)).isNotNull();
    pass(Duration.ofNanos(1));
    assertSound();
  }

  /** Another node has found something, and has written it into the mark by then. */
  @Test
  void newNodeRejectsDataSetMarkedDuringItsHold() {
    dataIntegrity = soundness(1);
    meet("a", 3600);
    hear();
    pass(Duration.ofSeconds(1));
    markedMicros = redisMicros;
    hear();
    assertDoubtful("its mark says so");
  }

  @Test
  void dataProblemIsMarkedAtOnce() {
    assertThat(hear()).isFalse();
    redisMicros += 20_000;
    assertThat(hear()).as("the mark does not contain it").isTrue();
    assertThat(hear()).as("now it does").isFalse();
  }

  @Test
  void detectsEvictedKeys() {
    hear();
    evicted++;
    hear();
    assertMarkHasTheDoubt();
    assertDoubtful("it has evicted keys");
  }

  @Test
  void rejectsPromotedReplicaThatEvictedKeys() {
    hear();
    dataIntegrity.met(report("noeviction", "b", 3600, 1));
    evicted = 7;
    hear();
    assertDoubtful("it has evicted keys");
  }

  @Test
  void detectsEvictionPolicyByPolling() {
    hear();
    policy = "allkeys-lru";
    hear();
    policy = "noeviction";
    assertDoubtful("it may evict keys, by maxmemory-policy allkeys-lru");
  }

  /** However old the process says that it is. */
  @Test
  void rejectsPromotedReplicaThatLacksTheLastGrant() {
    copied("h", 0, 200);
    copied("ih", 150, 160);
    assertDoubtful("its data is older than what was granted");
  }

  /** It may have been a replica meanwhile. */
  @Test
  void rejectsSameProcessWithDataOfAnother() {
    copied("h", 0, 200);
    copied("kj", 300, 400);
    assertDoubtful("it does not continue the history known before");
  }

  @Test
  void acceptsPromotedReplicaThatHasEveryGrant() {
    copied("h", 0, 200);
    copied("ih", 200, 210);
    copied("ih", 200, 220);
    assertSound();
  }

  /** Of two connections, one was sent its command before the other and is read after it. */
  @Test
  void lateReportIsComparedWithWhatWasKnownWhenSent() {
    DataIntegrity.History before = dataIntegrity.history();
    copied("ih", 300, 400);
    dataIntegrity.copied(
        before, 150, new ReplicationInfo(false, "h", "0", -1, 160, List.of()), false);
    assertSound();
    copied("ih", 300, 410);
    assertSound();
  }

  @Test
  void rejectsNewlyMarkedDataSet() {
    dataIntegrity = soundness(1);
    meet("a", 3600);
    markedMicros = redisMicros;
    hear();
    assertDoubtful("its mark says so");
  }

  /** Neither may be believed before the other. */
  @Test
  void adoptsDataLossFoundByAnotherNode() {
    hear();
    assertSound();
    markedMicros = redisMicros;
    hear();
    assertDoubtful("its mark says so");
  }

  @Test
  void unchangedDataSetKeepsItsMark() {
    hear();
    pass(Duration.ofMinutes(10));
    markedMicros = redisMicros;
    for (int i = 0; i < 70_000; i++) {
      hear();
      pass(Duration.ofMillis(1));
    }
    assertSound();
  }

  @Test
  void rejectsDataSetWithAnotherMark() {
    hear();
    assertSound();
    era = 6;
    hear();
    assertDoubtful("its data was lost");
  }

  @Test
  void aProcessThatWasJustStartedMayHaveReadOldData() {
    hear();
    meet("b", 0);
    assertMarkHasTheDoubt();
    assertDoubtful("was started lately");
  }

  @Test
  void aReplicaThatHasLongBeenThereHasEverything() {
    hear();
    meet("b", 62, "ih");
    pass(Duration.ofNanos(DataIntegrity.HOLD_NANOS));
    assertSound();
    meet("b", 3, "ih");
    assertThat(dataIntegrity.obstacle(MINUTE)).as("the same, and its seconds mean little").isNull();
  }

  /** An old file was read by a primary that we have not met, and copied by one that is old. */
  @Test
  void rejectsPrimaryThatDoesNotContinueTheKnownHistory() {
    hear();
    meet("b", 3600, "cb");
    assertDoubtful("does not continue the history");
  }

  @Test
  void roundsProcessAgeDown() {
    hear();
    meet("b", 58);
    assertThat(dataIntegrity.leftNanos(MINUTE)).isEqualTo(Duration.ofSeconds(3).toNanos());
    pass(Duration.ofMillis(3500));
    meet("b", 61);
    assertThat(dataIntegrity.obstacle(MINUTE)).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 50, 3_600_000, -11, -50, -3_600_000})
  void rejectsClockStep(long millis) {
    hear();
    pass(Duration.ofSeconds(1));
    redisMicros += millis * 1000;
    hear();
    assertMarkHasTheDoubt();
    assertDoubtful(millis > 0 ? "gone forward by" : "gone back by");
  }

  @ParameterizedTest
  @ValueSource(longs = {9, -9})
  void toleratesSmallClockStep(long millis) {
    hear();
    redisMicros += millis * 1000;
    hear();
    assertSound();
  }

  /** Slewed at the pace that NTP has at most. */
  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void driftIsNoStep(int direction) {
    hear();
    for (int i = 0; i < 10_000; i++) {
      pass(Duration.ofSeconds(1));
      redisMicros += direction * 499L;
      hear();
      assertSound();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void rejectsRepeatedSmallClockSteps(int direction) {
    hear();
    for (int i = 0; i < 3; i++) {
      pass(Duration.ofMillis(100));
      redisMicros += direction * 3000L;
      hear();
      assertSound();
    }
    redisMicros += direction * 3000L;
    hear();
    assertThat(dataIntegrity.obstacle(MINUTE)).isNotNull();
  }

  @Test
  void alternatingClockStepsDoNotAddUp() {
    hear();
    for (int i = 0; i < 10; i++) {
      redisMicros += i % 2 == 0 ? 5000 : -5000;
      hear();
      assertSound();
    }
  }

  /** Steps within what is known add up all the same: each is as large as it can have been. */
  @Test
  void stepsThatHideInLongTripsAreNoted() {
    hear();
    boolean isNoted = false;
    for (int i = 0; i < 20 && !isNoted; i++) {
      pass(Duration.ofSeconds(1));
      redisMicros += 5600;
      long sent = nanos;
      pass(Duration.ofNanos(2_500_000));
      long micros = redisMicros;
      pass(Duration.ofNanos(2_500_000));
      dataIntegrity.heard(sent, look(micros), 0);
      isNoted = dataIntegrity.obstacle(MINUTE) != null;
    }
    assertThat(isNoted).isTrue();
  }

  @Test
  void toleratesManySmallDriftCorrections() {
    hear();
    for (int i = 0; i < 1000; i++) {
      pass(Duration.ofSeconds(20));
      redisMicros += 1000 - (i % 2) * 2000;
      hear();
      assertThat(dataIntegrity.obstacle(MINUTE)).isNull();
    }
  }

  @Test
  void rejectsClockThatStepsForthAndBackDuringACharge() {
    hear();
    long sent = nanos;
    pass(Duration.ofNanos(TRIP));
    dataIntegrity.heard(sent, look(redisMicros), redisMicros + 60_000_000);
    assertDoubtful("gone forth and back");
  }

  /** After a long time without a word a step of half a second is all that may be drift. */
  @Test
  void rejectsExcessiveDrift() {
    hear();
    pass(Duration.ofDays(1));
    redisMicros += 600_000;
    hear();
    assertThat(dataIntegrity.obstacle(MINUTE)).isNotNull();
  }

  @Test
  void ignoresSlowRoundTrips() {
    hear();
    long sent = nanos;
    pass(Duration.ofMillis(101));
    assertThat(dataIntegrity.isLate(sent)).isTrue();
    era = 99;
    dataIntegrity.heard(sent, look(redisMicros), 0);
    assertThat(dataIntegrity.obstacle(MINUTE)).isNull();
  }

  @Test
  void logsTheSameProblemOnce() {
    hear();
    for (int i = 0; i < 30; i++) {
      pass(Duration.ofSeconds(1));
      redisMicros += 1_000_000 + i * 1000L;
      hear();
    }
    assertThat(warnings).hasSize(1);
  }

  /** The age that it reports is by its own clock, which a new node does not know. */
  @ParameterizedTest
  @ValueSource(longs = {1_500, -1_500, 86_400_000})
  void newNodeRejectsDistantRedisClock(long millis) {
    dataIntegrity = soundness(1);
    meet("a", 3600);
    wallMicros += millis * 1000;
    hear();
    assertDoubtful("ms apart");
  }

  @ParameterizedTest
  @CsvSource({
    "allkeys-lru,1,set noeviction",
    "'',1,INFO memory",
    "noeviction,2,is copied by 2 servers",
    "noeviction,-1,INFO replication"
  })
  void reportsSettingsThatLoseData(String policy, long replicas, String why) {
    hear();
    dataIntegrity.met(report(policy, "a", 3600, replicas));
    assertThat(dataIntegrity.fault()).contains(why);
    pass(Duration.ofMinutes(2));
    hear();
    assertThat(dataIntegrity.obstacle(MINUTE)).as("as long as it lasts").isNotNull();
    meet("a", 3700);
    assertThat(dataIntegrity.fault()).isNull();
    assertDoubtful("had other settings");
  }

  @Test
  void reportsUnsafeSettingsDuringStartup() {
    dataIntegrity = soundness(0);
    old();
    assertThat(dataIntegrity.fault()).contains("is copied by 1 servers");
    assertThat(dataIntegrity.obstacle(1)).isNotNull();
  }
}
