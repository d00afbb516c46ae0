import { useLocation } from "wouter";
import { useDeleteGroup } from "../../../api/consumer-groups";
import type { GroupDetail } from "../../../api/types";
import { Confirm } from "../../../ui/confirm";
import { counted } from "../../../ui/format/numbers";

export function DeleteGroup({ group, onClose }: { group: GroupDetail; onClose: () => void }) {
  const remove = useDeleteGroup(group.cluster, group.name);
  const [, navigate] = useLocation();
  return (
    <Confirm
      opened
      title={`Delete consumer group ${group.name}?`}
      verb="Delete group"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        remove.mutate(undefined, {
          onSuccess: () => {
            navigate("/consumers");
          },
        });
      }}
      onClose={onClose}
    >
      <p>
        Its committed offsets of {counted(group.partitions.length + group.partitions_left_out, "partition")}{" "}
        are deleted. Consumers that use this group later begin where their configuration says
        (auto.offset.reset). Records aren&apos;t affected. This can&apos;t be undone.
      </p>
      {(group.members ?? 0) > 0 && (
        <p>The group has {counted(group.members, "member")} now: stop them first, or Kafka refuses.</p>
      )}
    </Confirm>
  );
}
