package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisFailure.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Redis says, in the words of its releases. */
final class ErrorReplyTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          READ_ONLY     | READONLY You can't write against a read only replica.
          READ_ONLY     | READONLY You can't write against a read only replica. script: 5f3c, on @user_script:1.
          READ_ONLY     | ERR Error running script (call to f_5f3c): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.
          LOADING       | LOADING Redis is loading the dataset in memory
          LOADING       | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.
          BUSY          | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
          OUT_OF_MEMORY | OOM command not allowed when used memory > 'maxmemory'.
          OUT_OF_MEMORY | ERR Error running script (call to f_5f3c): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.
          OUT_OF_MEMORY | OOM command not allowed when used memory > 'maxmemory'. script: 5f3c, on @user_script:1.
          FORBIDDEN     | NOAUTH Authentication required.
          FORBIDDEN     | WRONGPASS invalid username-password pair or user is disabled.
          FORBIDDEN     | NOPERM this user has no permissions to run the 'evalsha' command or its subcommand
          FORBIDDEN     | ERR The user executing the script can't run this command or subcommand script: 5f3c, on @user_script:1.
          FORBIDDEN     | DENIED Redis is running in protected mode because protected mode is enabled
          CLUSTER_DOWN  | CLUSTERDOWN The cluster is down
          CLUSTER_DOWN  | TRYAGAIN Multiple keys request during rehashing of slot
          NEWER_FORMAT  | WEIRFORMAT 3
          NEWER_FORMAT  | ERR Error running script (call to f_5f3c): @user_script:1: user_script:1: WEIRFORMAT 3
          NEWER_FORMAT  | ERR user_script:1: WEIRFORMAT 3 script: 5f3c, on @user_script:1.
          FOREIGN       | WRONGTYPE Operation against a key holding the wrong kind of value script: 5f3c, on @user_script:1.
          FOREIGN       | ERR Error running script (call to f_5f3c): @user_script:21: WRONGTYPE Operation against a key holding the wrong kind of value
          OTHER         | ERR unknown command 'evalsha'
          OTHER         | ERR Error running script (call to f_5f3c): @user_script:1: user_script:1: attempt to index a nil value
          OTHER         | BUSYKEY Target key name already exists.
          OTHER         | MISCONF Redis is configured to save RDB snapshots
          OTHER         | ERR wrong: not LOADING
          OTHER         | ``
          """)
  void classifiesErrorReplies(Kind kind, String text) {
    assertThat(new ErrorReply(text).redisFailure()).isEqualTo(new RedisFailure(kind, text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          true  | NOSCRIPT No matching script. Please use EVAL.
          true  | OOM command not allowed when used memory > 'maxmemory'. script: 5f3c, on @user_script:1.
          true  | READONLY You can't write against a read only replica. script: 5f3c, on @user_script:1.
          true  | NOAUTH Authentication required.
          true  | NOPERM this user has no permissions to run the 'evalsha' command or its subcommand
          true  | NOPERM No permissions to access a key
          false | NOPERM User u has no permissions to run the 'pexpire' command script: 5f3c, on @user_script:9.
          false | ERR The user executing the script can't run this command or subcommand script: 5f3c, on @user_script:9.
          false | ERR Error running script (call to f_5f3c): @user_script:9: @user_script: 9: -NOPERM this user has no permissions
          false | ERR Error running script (call to f_5f3c): @user_script:1: user_script:1: attempt to index a nil value
          false | ERR whatever
          """)
  void knowsWhichErrorsChangedNothing(boolean isUntouched, String text) {
    assertThat(new ErrorReply(text).isUntouched()).isEqualTo(isUntouched);
  }
}
