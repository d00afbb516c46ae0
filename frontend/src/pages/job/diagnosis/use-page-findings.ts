import { useConnection } from "../../../api/live";
import { pageFindings, type PageFinding, type PageState } from "./page-findings";

/** What the page does to rows, with what its connection knows. */
export function usePageFindings(state: Omit<PageState, "overloadedAt">): PageFinding[] {
  const { overloadedAt } = useConnection();
  // eslint-disable-next-line react-hooks/purity -- an overload is recent or not at the time of each rendering
  return pageFindings({ ...state, overloadedAt }, Date.now());
}
